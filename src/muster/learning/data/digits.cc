#include "muster/learning/data/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "muster/learning/data/digit_skeletons.h"
#include "muster/random/samplers.h"

namespace muster::learning {
namespace {

// These constants say how much the handwriting varies. Larger spreads make the digits harder to classify,
// especially for a linear model. Lengths are in units of the digit's height unless marked as pixels; a
// "spread" is a standard deviation.
constexpr float kPointSpread = 0.020F;    // spread of the place of each control point
constexpr float kElasticSpread = 0.042F;  // spread of the displacement at each grid node
constexpr float kSlantSpread = 0.18F;     // spread of the horizontal shear
constexpr float kTurnSpread = 0.10F;      // spread of the sine of the rotation angle
constexpr float kMinHeight = 16.5F;       // smallest height of a digit, in pixels
constexpr float kMaxHeight = 21.0F;
constexpr float kMinWidth = 0.80F;  // smallest horizontal stretch
constexpr float kMaxWidth = 1.15F;
constexpr float kShiftSpread = 1.2F;  // spread of the shift in each direction, in pixels
constexpr float kMinPen = 0.75F;      // smallest pen radius, in pixels
constexpr float kMaxPen = 1.75F;
constexpr float kMinInk = 0.75F;  // smallest ink, as a fraction of full ink
constexpr float kNoise = 10.0F;   // largest noise, in units of 1/255

constexpr int kSide = static_cast<int>(kImageSide);
constexpr int kNodes = 4;  // the number of grid nodes per side of the displacement field
constexpr int kSteps = 5;  // segments between two control points

// Makes the random draws. They use only +, - and *, so every machine produces the same bits.
class Draws {
 public:
  Draws(const random::RunKey& key, DigitSet set, std::uint64_t index)
      : words_(key, {random::Purpose::digits, static_cast<std::uint64_t>(set), index}) {}

  std::size_t below(std::size_t bound) { return random::uniform_below(words_, bound); }
  float between(float low, float high) { return low + (high - low) * unit(words_.next_u64() >> 40); }
  // Returns a nearly normal draw of mean 0, variance 1 and range [-3, 3): the sum of three uniforms of 21
  // bits, shifted and scaled.
  float bell() {
    const std::uint64_t word = words_.next_u64();
    const float sum = unit21(word) + unit21(word >> 21) + unit21(word >> 42);
    return 2.0F * sum - 3.0F;
  }
  std::uint64_t word() { return words_.next_u64(); }

 private:
  static float unit(std::uint64_t bits24) { return static_cast<float>(bits24) * 0x1p-24F; }
  static float unit21(std::uint64_t word) { return static_cast<float>(word & 0x1fffff) * 0x1p-21F; }

  random::KeyedStream words_;
};

// Maps skeleton coordinates to pixels: first by a smooth displacement, which is drawn at the nodes of a grid
// and interpolated between them, then by an affine map.
class Hand {
 public:
  explicit Hand(Draws& draws) {
    for (Point& node : nodes_) node = {kElasticSpread * draws.bell(), kElasticSpread * draws.bell()};
    const float height = draws.between(kMinHeight, kMaxHeight);
    const float width = height * draws.between(kMinWidth, kMaxWidth);
    const float slant = kSlantSpread * draws.bell();
    const float sine = kTurnSpread * draws.bell();
    const float cosine = std::sqrt(1.0F - sine * sine);
    // The affine map stretches, then shears (a positive slant makes upright strokes lean to the right), then
    // rotates.
    xx_ = cosine * width;
    xy_ = -cosine * slant * height - sine * height;
    yx_ = sine * width;
    yy_ = -sine * slant * height + cosine * height;
    x0_ = 0.5F * static_cast<float>(kSide - 1) + kShiftSpread * draws.bell();
    y0_ = 0.5F * static_cast<float>(kSide - 1) + kShiftSpread * draws.bell();
  }

  Point place(Point p) const {
    const Point moved = displaced(p);
    const float x = moved.x - 0.5F;
    const float y = moved.y - 0.5F;
    return {x0_ + xx_ * x + xy_ * y, y0_ + yx_ * x + yy_ * y};
  }

 private:
  Point displaced(Point p) const {
    const auto cell = [](float at, float& part) {
      const float scaled = std::clamp(at, 0.0F, 0.9999F) * static_cast<float>(kNodes - 1);
      const int whole = static_cast<int>(scaled);
      const float t = scaled - static_cast<float>(whole);
      part = t * t * (3.0F - 2.0F * t);
      return whole;
    };
    float tx = 0;
    float ty = 0;
    const int column = cell(p.x, tx);
    const int row = cell(p.y, ty);
    const Point* at = nodes_.data() + row * kNodes + column;
    const auto mix = [&](float a, float b, float c, float d) {
      return (1 - ty) * ((1 - tx) * a + tx * b) + ty * ((1 - tx) * c + tx * d);
    };
    return {p.x + mix(at[0].x, at[1].x, at[kNodes].x, at[kNodes + 1].x),
            p.y + mix(at[0].y, at[1].y, at[kNodes].y, at[kNodes + 1].y)};
  }

  std::array<Point, kNodes * kNodes> nodes_;
  float xx_, xy_, yx_, yy_, x0_, y0_;
};

Point catmull_rom(Point a, Point b, Point c, Point d, float t) {
  const auto at = [t](float p, float q, float r, float s) {
    return 0.5F * (2 * q + t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p))));
  };
  return {at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)};
}

// Holds for each pixel the square of its distance, in pixels, to the nearest segment drawn so far. The value
// may be too large if the distance is `reach` or more.
class Canvas {
 public:
  explicit Canvas(float reach) : reach_(reach) { nearest_.fill(1e9F); }

  void segment(Point from, Point to) {
    const auto low = [this](float a, float b) {
      return std::max(0, static_cast<int>(std::min(a, b) - reach_ + 1.0F));
    };
    const auto high = [this](float a, float b) {
      return std::min(kSide - 1, static_cast<int>(std::max(a, b) + reach_));
    };
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float over = 1.0F / std::max(dx * dx + dy * dy, 1e-6F);
    const int first = low(from.x, to.x);
    const int last = high(from.x, to.x);
    for (int y = low(from.y, to.y); y <= high(from.y, to.y); ++y) {
      float* row = nearest_.data() + y * kSide;
      const float py = static_cast<float>(y) - from.y;
      for (int x = first; x <= last; ++x) {
        const float px = static_cast<float>(x) - from.x;
        const float t = std::min(1.0F, std::max(0.0F, (px * dx + py * dy) * over));
        const float ex = px - t * dx;
        const float ey = py - t * dy;
        row[x] = std::min(row[x], ex * ex + ey * ey);
      }
    }
  }

  float squared_distance(std::size_t pixel) const { return nearest_[pixel]; }

 private:
  float reach_;
  std::array<float, kImagePixels> nearest_;
};

void draw_stroke(const Stroke& stroke, const Hand& hand, Draws& draws, Canvas& canvas) {
  std::array<Point, kMaxPoints> jittered;
  const std::size_t n = stroke.size();
  for (std::size_t i = 0; i < n; ++i) {
    jittered[i] = {stroke[i].x + kPointSpread * draws.bell(), stroke[i].y + kPointSpread * draws.bell()};
  }
  Point pen = hand.place(jittered[0]);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Point& before = jittered[i == 0 ? 0 : i - 1];
    const Point& after = jittered[std::min(i + 2, n - 1)];
    for (int step = 1; step <= kSteps; ++step) {
      const float t = static_cast<float>(step) / static_cast<float>(kSteps);
      const Point next = hand.place(catmull_rom(before, jittered[i], jittered[i + 1], after, t));
      canvas.segment(pen, next);
      pen = next;
    }
  }
}

}  // namespace

std::uint8_t draw_digit(const random::RunKey& key, DigitSet set, std::uint64_t index,
                        std::span<std::uint8_t> image) {
  Draws draws(key, set, index);
  const auto label = static_cast<std::uint8_t>(draws.below(kClasses));
  const std::vector<Skeleton>& ways = skeletons(label);
  const Skeleton& way = ways[draws.below(ways.size())];
  const Hand hand(draws);
  const float pen = draws.between(kMinPen, kMaxPen);
  const float ink = 255.0F * draws.between(kMinInk, 1.0F);

  Canvas canvas(pen + 0.6F);
  for (const Stroke& stroke : way) draw_stroke(stroke, hand, draws, canvas);

  std::uint64_t noise = 0;
  for (std::size_t p = 0; p < kImagePixels; ++p) {
    if (p % 8 == 0) noise = draws.word();
    // The noise is uniform on [-kNoise, kNoise]; on the background only its positive half remains.
    const float grain = kNoise * (static_cast<float>(noise & 255) * (2.0F / 255.0F) - 1.0F);
    noise >>= 8;
    const float distance = std::sqrt(canvas.squared_distance(p));
    const float cover = std::clamp(pen + 0.5F - distance, 0.0F, 1.0F);
    image[p] = static_cast<std::uint8_t>(std::clamp(ink * cover + grain, 0.0F, 255.0F));
  }
  return label;
}

Dataset draw_digit_set(DigitSet set, std::uint64_t count, std::uint64_t seed) {
  const random::RunKey key = random::RunKey::from_seed(seed);
  Dataset data;
  data.bytes.resize(count * kImagePixels);
  data.labels.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    data.labels[i] = draw_digit(key, set, i, std::span(data.bytes).subspan(i * kImagePixels, kImagePixels));
  }
  return data;
}

DataSplit draw_digits(std::uint64_t train, std::uint64_t test, std::uint64_t seed) {
  return {draw_digit_set(DigitSet::train, train, seed), draw_digit_set(DigitSet::test, test, seed)};
}

}  // namespace muster::learning
