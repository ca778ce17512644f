// Eight colours for the lines and dots of one picture, on light and on dark pages.
//
// They differ enough for readers with any of the three kinds of colour blindness, and each one is visible on
// its page (line_inks_test.cc measures both). The constants may be read from any thread.
#pragma once

#include <array>

namespace muster::reporting {

// The style class of lines and dots that have the colour, and the colour on light and on dark pages.
struct LineInk {
  const char* css;
  const char* light;
  const char* dark;
};
inline constexpr std::array<LineInk, 8> kLineInks = {{{"r1", "#2146aa", "#85c7fe"},
                                                      {"r2", "#a53300", "#e66b34"},
                                                      {"r3", "#007e4e", "#289368"},
                                                      {"r4", "#8032f2", "#9e4cff"},
                                                      {"r5", "#ca8300", "#f1db30"},
                                                      {"r6", "#ed589b", "#ff9caf"},
                                                      {"r7", "#2b2f36", "#d5f2ff"},
                                                      {"r8", "#3a93fb", "#5c65ab"}}};

}  // namespace muster::reporting
