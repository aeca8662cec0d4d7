#pragma once

#include "command.hpp"

namespace batfill::commands {

// The models of `batfill generate`, each in a file of its own. They get the arguments after the model's name, and keep
// to what Command says of `run`.
int failures(const Arguments&);
int farm(const Arguments&);
int lublin(const Arguments&);

}  // namespace batfill::commands
