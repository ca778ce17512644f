# Functions that make a room a target and a test file a test.
#
#   muster_room(<room> SOURCES a.cc b.cc [DEPENDS core numerics] [LIBRARIES pkg::lib])
#       static library muster::<room>; DEPENDS names the rooms that it includes from.
#   muster_test(<room> <name>_test.cc [LIBRARIES ...] [LABELS long statistical])
#       one GoogleTest binary. Tests without a label run in `make check`; tests with the
#       label `long` run only in `make check-all`. Target tests_<room> builds a room's tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# The environment tells ccache what to ignore so that it can store sources with a precompiled header: the
# macros that the header defines, and the time of a header's last change. ccache still compares contents.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(muster_options INTERFACE)
target_include_directories(muster_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
# With -ffp-contract=off, a fused multiply-add appears only where the source asks for it, so scalar code gives
# the same bits at every optimisation level.
target_compile_options(muster_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror -ffp-contract=off)
# GCC accepts a precompiled header only in sources that agree with it on -pthread, which some libraries ask for, and on
# the macros of fmt. ccache, which reads preprocessed sources, needs -fpch-preprocess. With a precompiled header, GCC 12
# also checks the code of the C++ library, and there warns of reads beyond the end of strings that cannot happen.
find_package(fmt REQUIRED)
target_compile_definitions(muster_options INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(muster_options INTERFACE -pthread -fpch-preprocess -Wno-array-bounds
                         -Wno-stringop-overread)
endif()
if(MUSTER_SANITIZE)
  target_compile_options(muster_options INTERFACE
    -fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(muster_options INTERFACE -fsanitize=${MUSTER_SANITIZE})
  # With the thread sanitizer, GCC 12 also warns of writes beyond short strings that cannot happen.
  if(MUSTER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(muster_options INTERFACE -Wno-stringop-overflow)
  endif()
  # On x86 a kernel is compiled for six targets. Sanitized builds have only three, the widest, AVX2 and the
  # plainest, because each takes a minute to compile; the others are the same source at another width. Fuzz
  # targets call no kernel and get only the portable target, because clang takes several minutes to sanitize a
  # kernel.
  if(MUSTER_FUZZ)
    target_compile_definitions(muster_options INTERFACE HWY_COMPILE_ONLY_SCALAR)
  else()
    target_compile_definitions(muster_options INTERFACE
      "HWY_DISABLED_TARGETS=(HWY_AVX3|HWY_SSE4|HWY_SSSE3)")
  endif()
  # With both sanitizers, GCC 12 moves doubles through MMX registers and leaves them in use, so the long
  # doubles of the next call are NaN. The objects of the release build contain no MMX instruction.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(muster_options INTERFACE -mno-mmx)
  endif()
endif()

# Shared libraries, of which the Python package is one, are linked from position-independent code. With hidden symbols
# the compiler inlines and addresses as in a program (docs/decisions/0049-pybind11.md has the cost).
function(muster_compile_for_sharing target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                             CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# The headers that most sources of the rooms include, parsed once for all rooms. Each source still includes what it
# uses, because clang-tidy reads it without them.
add_library(muster_precompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
target_link_libraries(muster_precompiled PRIVATE muster_options fmt::fmt)
muster_compile_for_sharing(muster_precompiled)
target_precompile_headers(muster_precompiled PRIVATE
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory>
  <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <thread> <utility> <variant> <vector>
  <fmt/format.h>)

function(muster_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(muster_${room} STATIC ${ARG_SOURCES})
  add_library(muster::${room} ALIAS muster_${room})
  list(TRANSFORM ARG_DEPENDS PREPEND muster::)
  set_target_properties(muster_${room} PROPERTIES EXPORT_NAME ${room})
  muster_compile_for_sharing(muster_${room})
  target_link_libraries(muster_${room} PUBLIC $<BUILD_INTERFACE:muster_options> ${ARG_DEPENDS} ${ARG_LIBRARIES})
  target_precompile_headers(muster_${room} REUSE_FROM muster_precompiled)
  # Users of an installed room must compile as C++20, and with the same arithmetic for the functions in its
  # headers.
  target_compile_features(muster_${room} INTERFACE cxx_std_20)
  target_compile_options(muster_${room} INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)
  target_include_directories(muster_${room} INTERFACE $<INSTALL_INTERFACE:include>)
  if(MUSTER_SANITIZE MATCHES "address")
    muster_keep_kernels_fast(${ARG_SOURCES})
  endif()
endfunction()

# A kernel holds its vectors in many small scopes. If the address sanitizer watches for uses after the end of
# a scope, all of these vectors live in memory: the kernels of sums take 81 % of `muster account`, which then
# takes 12.5 s instead of 1.9 s. So kernels are not watched for this one mistake; every other source is.
function(muster_keep_kernels_fast)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} kernel REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
    if(kernel)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -fno-sanitize-address-use-after-scope)
    endif()
  endforeach()
endfunction()

# Compiles a target's own sources as tests: with little optimisation, and with GoogleTest from the precompiled
# header of tests/support. The libraries that they call are compiled as for users.
function(muster_compile_as_test target)
  target_link_libraries(${target} PRIVATE muster_test_options)
  target_precompile_headers(${target} REUSE_FROM muster_test_precompiled)
endfunction()

function(muster_test room source)
  if(NOT MUSTER_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBRARIES;LABELS" ${ARGN})
  get_filename_component(name ${source} NAME_WE)
  set(target ${room}_${name})
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE muster::${room} muster_test_support ${ARG_LIBRARIES})
  muster_compile_as_test(${target})
  add_test(NAME ${room}.${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT TARGET tests_${room})
    add_custom_target(tests_${room})
  endif()
  add_dependencies(tests_${room} ${target})
  if(ARG_LABELS)
    set_tests_properties(${room}.${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()
