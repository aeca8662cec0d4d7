// Calls an undefined function.
void nobody_defines_this();
namespace {
struct Caller {
    Caller() { nobody_defines_this(); }
} const caller;
}  // namespace
