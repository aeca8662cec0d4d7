// A program that only consists of the layers that it is linked with.
int main() {
    return 0;
}
