#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/outcome.hpp>

namespace batfill::tests::idle_calls_test {

using Catch::Matchers::Contains;

namespace {

