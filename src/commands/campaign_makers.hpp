#pragma once

#include "src/campaign/campaign_workloads.hpp"

namespace batfill::commands {

// The operations that make the files of a campaign. They know the options in the campaign file.
campaign::Makers makers();

}  // namespace batfill::commands
