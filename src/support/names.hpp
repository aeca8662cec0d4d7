#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batfill {

// Joins names, as for error messages: "a, b, c".
std::string list_of(const std::vector<std::string>& names, std::string_view separator = ", ");
// The part of an error message after an unknown name: "did you mean 'simulate'? Known: ...", or "known: ..." without a
// guess if no name is near.
std::string names_instead(const std::string& name, const std::vector<std::string>& known);
// The known name that a user who typed `name` probably meant: one that is near, or the only one that begins with it.
std::optional<std::string> nearest_name(const std::string& name, const std::vector<std::string>& known);
// An error message for an unknown name: "unknown command 'simulat', did you mean 'simulate'? Known: ...", or without a
// guess if no name is near. `what` is the kind of thing.
std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known);

// "a, b and c"; for more than six names, "a, b, c, d, e and 40 more".
std::string enumeration(std::vector<std::string> names);

// "1 run", "2 runs".
std::string counted(std::size_t number, const std::string& what);

// Returns the name of a file's workload in tables and file names: "sp2-01" for "weeks/sp2-01.json.gz".
// An ending begins with a letter: "sp2-0.9" stays.
std::string workload_name(const std::string& path);

}  // namespace batfill
