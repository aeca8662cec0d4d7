// A shared object that registers nothing.
extern "C" int answer() {
    return 42;
}
