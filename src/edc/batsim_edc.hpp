#pragma once

#include <cstdint>

// The functions that Batsim 5 calls in a scheduler which it loads as a shared library (an "external decision
// component"). It calls them in this order, from one thread at a time: init once, take_decisions for each message,
// deinit once. All return 0, or 1 after an error, which is a line on the standard error stream; then Batsim ends the
// simulation. No exception leaves them.
//
// A reply belongs to the library and is valid until the next call. It is JSON that ends with a zero byte, which its
// size counts.
extern "C" {

// `init_data` is the user's text, {"algorithm": "easy", "params": {...}}; it need not end with a zero byte. The reply
// says who the scheduler is; `flags` becomes the format of all messages, JSON.
std::uint8_t batsim_edc_init(const std::uint8_t* init_data, std::uint32_t init_size, std::uint32_t* flags,
                             std::uint8_t** reply_data, std::uint32_t* reply_size);

// Answers a message; that may end with zero bytes.
std::uint8_t batsim_edc_take_decisions(const std::uint8_t* what_happened, std::uint32_t what_happened_size,
                                       std::uint8_t** decisions, std::uint32_t* decisions_size);

// Frees all. Another simulation may follow, with init.
std::uint8_t batsim_edc_deinit();
}
