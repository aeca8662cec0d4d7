#pragma once

#include <batfill/formats/swf.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/workloads/swf_selection.hpp"

namespace batfill {

// What a job of the log asks for besides its size, as SwfLog::read_fields has it.
// Cost: O(1) of accounting data, else that of making it.
LoggedNeeds needs_of(const SwfLog& log, const SwfJob& job, const SwfConversion& conversion);

// Adds to the summary what the kept jobs took of the log's machine, and from which columns the log knows it.
void add_machine_of_log(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& summary);

}  // namespace batfill
