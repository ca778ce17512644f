// Empty: a target needs a source, and this one has the precompiled header of all tests (tests/support/CMakeLists.txt).
