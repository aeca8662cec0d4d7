#pragma once

#include <type_traits>
#include <variant>

#include "protocol/message.hpp"

namespace batfill::tests {

// The data of an event in a message, whether the engine has a type for it or the protocol.
// Throws: std::bad_variant_access if they are of another type.
template <class Data>
Data data_of(const protocol::Message::Event& event) {
    if constexpr (std::is_constructible_v<Event::Data, Data>) {
        return std::get<Data>(std::get<Event::Data>(event.data));
    } else {
        return std::get<Data>(event.data);
    }
}

}  // namespace batfill::tests
