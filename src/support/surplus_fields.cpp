#include "src/support/surplus_fields.hpp"

#include <algorithm>
#include <cassert>

namespace batfill {

namespace {

using MayBegin = std::vector<std::vector<bool>>;

// By column, whether so many surplus fields may stand before it, by what is before it, and by what is behind it. Behind
// the last column, all do.
MayBegin possible_beginnings(const std::vector<std::string_view>& fields, const std::vector<bool>& is_free,
                             const std::function<bool(std::size_t column, std::string_view text)>& may_stand_in) {
    const std::size_t columns = is_free.size();
    const std::size_t surplus = fields.size() - columns;
    const auto last_end = [&](std::size_t column, std::size_t shift) { return is_free[column] ? surplus : shift; };
    MayBegin may_begin(columns + 1, std::vector<bool>(surplus + 1));
    may_begin[0][0] = true;
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t shift = 0; shift <= surplus; ++shift) {
            if (!may_begin[column][shift] || !may_stand_in(column, fields[column + shift])) {
                may_begin[column][shift] = false;
                continue;
            }
            for (std::size_t end = shift; end <= last_end(column, shift); ++end) {
                may_begin[column + 1][end] = true;
            }
        }
    }
    std::fill(may_begin[columns].begin(), may_begin[columns].end() - 1, false);
    for (std::size_t column = columns; column-- > 0;) {
        for (std::size_t shift = 0; shift <= surplus; ++shift) {
            bool has_end = false;
            for (std::size_t end = shift; end <= last_end(column, shift); ++end) {
                has_end = has_end || may_begin[column + 1][end];
            }
            may_begin[column][shift] = may_begin[column][shift] && has_end;
        }
    }
    return may_begin;
}

}  // namespace

std::vector<FieldsOfColumn> spread_fields(
    const std::vector<std::string_view>& fields, const std::vector<bool>& is_free,
    const std::function<bool(std::size_t column, std::string_view text)>& may_stand_in) {
    assert(fields.size() >= is_free.size());
    const MayBegin may_begin = possible_beginnings(fields, is_free, may_stand_in);
    std::vector<FieldsOfColumn> result;
    for (std::size_t column = 0; column < is_free.size() && may_begin[0][0]; ++column) {
        const auto first_of = [&](std::size_t of) {
            return static_cast<std::size_t>(std::ranges::find(may_begin[of], true) - may_begin[of].begin());
        };
        const std::size_t shift = first_of(column);
        const std::size_t number = is_free[column] ? first_of(column + 1) - shift + 1 : 1;
        bool are_certain = !is_free[column] || std::ranges::count(may_begin[column + 1], true) == 1;
        for (std::size_t other = shift + 1; other < may_begin[column].size(); ++other) {
            const bool is_same = !is_free[column] && fields[column + other] == fields[column + shift];
            are_certain = are_certain && (!may_begin[column][other] || is_same);
        }
        result.push_back({column + shift, number, are_certain});
    }
    return result;
}

}  // namespace batfill
