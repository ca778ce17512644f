// Computes how the colours of lines look to colour-blind readers, by published matrices, and their contrast
// ratios by WCAG. Colours that are known to be bad must fail the tests.
#include "muster/reporting/line_inks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace muster::reporting {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

Triple product(const Matrix& matrix, const Triple& vector) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * vector[j];
  }
  return result;
}

// Returns the linear red, green and blue of "#rrggbb", after IEC 61966-2-1 (sRGB).
Triple light_of(const std::string& colour) {
  Triple light{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    light[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return light;
}

// Returns CIE L*a*b* for the white point D65.
Triple lab_of(const Triple& light) {
  constexpr Matrix kToXyz = {{{0.4124564, 0.3575761, 0.1804375},
                              {0.2126729, 0.7151522, 0.0721750},
                              {0.0193339, 0.1191920, 0.9503041}}};
  Triple xyz = product(kToXyz, light);
  constexpr Triple kWhite = {0.95047, 1, 1.08883};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = xyz[i] / kWhite[i];
    xyz[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

// The matrices that show how a colour looks to readers with normal vision and to those without the cones for
// long, medium or short waves. They are those of Machado, Oliveira and Fernandes 2009 for severity 1, and are
// applied to linear light.
constexpr std::array<Matrix, 4> kEyes = {
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

// Returns the smallest distance in L*a*b* between two of the colours, for any of these readers.
double least_distance(const std::vector<std::string>& colours) {
  double least = std::numeric_limits<double>::infinity();
  for (const Matrix& eye : kEyes) {
    std::vector<Triple> seen;
    for (const std::string& colour : colours) {
      Triple light = product(eye, light_of(colour));
      for (double& part : light) part = std::clamp(part, 0.0, 1.0);
      seen.push_back(lab_of(light));
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        least = std::min(
            least, std::hypot(seen[i][0] - seen[j][0], seen[i][1] - seen[j][1], seen[i][2] - seen[j][2]));
      }
    }
  }
  return least;
}

// Returns the contrast ratio of two colours after WCAG 2, from 1 to 21.
double contrast(const std::string& a, const std::string& b) {
  const auto luminance = [](const std::string& colour) {
    const Triple light = light_of(colour);
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  };
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

// In L*a*b*, a distance of about 2.3 is just noticeable between neighbouring areas; thin lines and marks need
// far more.
constexpr double kClearlyApart = 20;
// The contrast ratio that WCAG 2 demands of graphics (success criterion 1.4.11).
constexpr double kVisible = 3;

TEST(LineInks, DifferForColourBlindReadersOnLightAndDarkPages) {
  std::vector<std::string> light, dark;
  for (const LineInk& ink : kLineInks) {
    light.emplace_back(ink.light);
    dark.emplace_back(ink.dark);
    EXPECT_GE(contrast(ink.light, "#ffffff"), kVisible) << ink.css;
    EXPECT_GE(contrast(ink.dark, "#14181d"), kVisible) << ink.css;
  }
  EXPECT_GE(least_distance(light), kClearlyApart);
  EXPECT_GE(least_distance(dark), kClearlyApart);
  // Known to be bad: a red and a green of the same lightness, and a yellow on white.
  EXPECT_LT(least_distance({"#8f7200", "#c2571a"}), kClearlyApart);
  EXPECT_LT(contrast("#f0e442", "#ffffff"), kVisible);
}

}  // namespace
}  // namespace muster::reporting
