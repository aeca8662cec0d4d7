#include <filesystem>
#include <utility>

#include "src/program/program.hpp"

int main(int argc, char** argv) {
    batfill::Arguments arguments(argv + 1, argv + argc);
    if (argc > 0 && std::filesystem::path(argv[0]).filename() == "batsched") {
        arguments.insert(arguments.begin(), "batsched");
    }
    return batfill::run_program(std::move(arguments));
}
