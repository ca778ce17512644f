// Empty, because a target needs a source: tests/support/CMakeLists.txt precompiles the header of all tests here.
