#pragma once

namespace batfill::commands {

class Options;

// Adds --plugin, for every command that takes an algorithm.
void add_plugin_option(Options& options);

// Loads the plugins that --plugin names.
// Requires: the caller has not looked up an algorithm yet.
// Throws: InputError as load_plugin().
void load_plugins(const Options& options);

}  // namespace batfill::commands
