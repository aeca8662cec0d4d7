#pragma once

#include <clocale>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/folder.hpp"

namespace batfill::tests {

// While it lives, the C library writes and reads numbers with a decimal comma, if such a locale can be made here.
class CommaLocale {
 public:
    CommaLocale() {
        std::ofstream(folder_.file("source")) << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\n"
                                                 "END LC_NUMERIC\n";
        const std::string command =
            "localedef -c -f UTF-8 -i " + folder_.file("source") + ' ' + folder_.file("comma") + " >/dev/null 2>&1";
        static_cast<void>(std::system(command.c_str()));  // NOLINT(cert-env33-c): the test's own command
        setenv("LOCPATH", folder_.file("").c_str(), 1);
        is_set_ = std::setlocale(LC_NUMERIC, "comma") != nullptr;
    }
    ~CommaLocale() {
        std::setlocale(LC_NUMERIC, "C");
        unsetenv("LOCPATH");
    }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;
    bool is_set() const { return is_set_; }

 private:
    Folder folder_;
    bool is_set_ = false;
};

}  // namespace batfill::tests
