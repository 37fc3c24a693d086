// A library that is no module.
extern "C" int lyre_nothing() {
    return 0;
}
