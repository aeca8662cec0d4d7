#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace batfill {

// Calls `use` with the beginning of a file, plain or gzipped, and then `handle` with each line, without its line end,
// and its number, from 1.
// Throws: InputError, which names the file, if it cannot be read or a line has more than `max_line_size` bytes; what
// `use` and `handle` throw.
// Cost: O(size of the file); memory for the longest line.
void for_each_line(const std::string& path, std::size_t max_line_size, const std::function<void(std::string_view)>& use,
                   const std::function<void(std::string_view, std::size_t)>& handle);

}  // namespace batfill
