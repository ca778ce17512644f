// Empty: a target with a precompiled header needs a source (cmake/MusterRoom.cmake, tests/support/CMakeLists.txt).
