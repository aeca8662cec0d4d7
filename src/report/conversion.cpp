#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <boost/process/child.hpp>
#include <boost/process/io.hpp>

#include <batfill/core/error.hpp>

#include "src/report/plot.hpp"
#include "src/support/files.hpp"

namespace batfill::report {

namespace {

[[noreturn]] void fail(const std::string& why) {
    throw InputError("the chart cannot be converted: " + why);
}

// The file has no name, so nothing remains however the process ends.
OpenFile temporary_file() {
    OpenFile file(std::tmpfile());
    if (file == nullptr) {
        fail(std::generic_category().message(errno));
    }
    return file;
}

std::string text_of(std::FILE* file) {
    std::rewind(file);
    std::string text;
    std::array<char, 65536> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), file)) {
        text.append(part.data(), size);
    }
    return text;
}

// Runs rsvg-convert with these options, separated by blanks.
std::string converted(const std::string& svg, const std::string& options) {
    const OpenFile input = temporary_file();
    const OpenFile output = temporary_file();
    const OpenFile errors = temporary_file();
    if (std::fwrite(svg.data(), 1, svg.size(), input.get()) != svg.size() || std::fflush(input.get()) != 0) {
        fail(std::generic_category().message(errno));
    }
    std::rewind(input.get());
    // A fixed time of creation for a PDF.
    const char* const date = std::getenv("SOURCE_DATE_EPOCH") == nullptr ? "SOURCE_DATE_EPOCH=0 " : "";
    std::error_code error;
    // Boost 1.74 does not search the first folder of PATH, so env does.
    boost::process::child process("/usr/bin/env " + (date + ("rsvg-convert " + options)),
                                  (boost::process::std_in < input.get()), (boost::process::std_out > output.get()),
                                  (boost::process::std_err > errors.get()), error);
    if (!error) {
        process.wait(error);
    }
    if (error) {
        fail(error.message());
    }
    constexpr int not_found = 127;  // the status of env
    if (process.exit_code() == not_found) {
        fail("rsvg-convert is not installed, expected Debian's package librsvg2-bin, or a FILE.svg");
    }
    if (process.exit_code() != 0) {
        std::string line = text_of(errors.get());
        line.resize(std::min(line.find('\n'), line.size()));
        fail("rsvg-convert fails: " + (line.empty() ? "no error message" : line));
    }
    return text_of(output.get());
}

}  // namespace

std::string png_of(const std::string& svg, int dpi) {
    assert(1 <= dpi && dpi <= 2400);
    return converted(svg, "--format=png --background-color=white --zoom=" + std::to_string(dpi / 96.0));
}

std::string pdf_of(const std::string& svg) {
    return converted(svg, "--format=pdf");
}

}  // namespace batfill::report
