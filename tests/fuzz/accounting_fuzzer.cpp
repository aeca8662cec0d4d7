#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/workload_writer.hpp"
#include "tests/fuzz/fuzzer.hpp"
#include "tests/support/folder.hpp"

namespace batfill::tests::accounting_fuzzer {

namespace {

void convert(AccountingData data) {
    try {
        const SwfLog log = read_accounting(data);
        const SwfWorkload converted = convert_swf(log, {});
        if (converted.workload.jobs.empty()) {
            return;
        }
        // What is written can be read, and is the same.
        const Workload read = parse_workload(text_of(converted.workload), "fuzz", "w0");
        for (std::size_t i = 0; i < read.jobs.size(); ++i) {
            if (read.jobs.at(i).description != converted.workload.jobs.at(i).description) {
                std::abort();
            }
        }
    } catch (const InputError&) {
    }
}

}  // namespace

// Readers of accounting data accept any text or refuse it with InputError.
const Fuzzer fuzzer("accounting", [](std::string_view input) {
    static const Folder folder;
    AccountingData data;
    data.paths = {folder.file("data")};
    std::ofstream(data.paths.front(), std::ios::binary) << input;
    for (const std::string& format : accounting_formats()) {
        data.format = format;
        data.mapping.clear();
        if (format == "csv") {
            data.mapping = {{"id", "i"},       {"submit", "s"}, {"processors", "p"},
                            {"run-time", "r"}, {"x", "x"},      {"cores", "x"}};
        }
        for (const bool has_fields : {false, true}) {
            data.fields = {has_fields, has_fields};
            data.drops_bad_rows = false;
            convert(data);
            data.drops_bad_rows = true;
            convert(data);
        }
    }
});

}  // namespace batfill::tests::accounting_fuzzer
