#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace batfill {

// The fields of a row that belong to one column.
struct FieldsOfColumn {
    std::size_t first;
    std::size_t number;
    bool are_certain;  // otherwise, other texts would do as well
};

// Spreads the fields of a row over fewer columns: a column of any text has one field or more, any other column one.
// `may_stand_in` says whether a text may stand in a column; of a column of any text, whether it may begin so. Empty if
// there is no way to spread them.
// Requires: `is_free` has an entry for each column; at least as many fields as columns.
// Cost: O(columns * (surplus fields)^2), and columns * surplus fields calls at most.
std::vector<FieldsOfColumn> spread_fields(
    const std::vector<std::string_view>& fields, const std::vector<bool>& is_free,
    const std::function<bool(std::size_t column, std::string_view text)>& may_stand_in);

}  // namespace batfill
