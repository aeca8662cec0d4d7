#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

namespace batfill {

// Returns what `function`, or a pointer to a member, gives for each of the values, in their order.
template <class Values, class Function>
auto mapped(const Values& values, Function function) {
    using Value = std::invoke_result_t<Function&, std::ranges::range_reference_t<const Values>>;
    std::vector<std::remove_cvref_t<Value>> result;
    result.reserve(std::ranges::size(values));
    std::ranges::transform(values, std::back_inserter(result), std::ref(function));
    return result;
}

}  // namespace batfill
