// A shared object in which nothing registers.
extern "C" int answer() {
    return 42;
}
