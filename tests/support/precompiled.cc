// Empty: the target with the precompiled header of all tests (tests/support/CMakeLists.txt) needs a source.
