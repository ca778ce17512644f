#include "muster/numerics/roots/boundary.h"

#include <charconv>
#include <cmath>
#include <string>

#include "muster/numerics/ordered.h"

namespace muster::numerics {
namespace {

constexpr std::int64_t kMinMantissa = 100'000;
constexpr std::int64_t kMantissas = 900'000;  // the number of six-digit mantissas in a decade

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

double six_digits(std::int64_t index) {
  const std::int64_t decade = floor_divide(index, kMantissas);
  const std::string text =
      std::to_string(kMinMantissa + index - decade * kMantissas) + "e" + std::to_string(decade - 5);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::int64_t six_digit_index(double value) {
  const double decade = std::floor(std::log10(value));
  const double mantissa = value / std::pow(10.0, decade - 5);
  std::int64_t index = static_cast<std::int64_t>(decade) * kMantissas +
                       static_cast<std::int64_t>(std::floor(mantissa)) - kMinMantissa;
  // The logarithm and the power are rounded, so the index is corrected by comparing with the
  // points themselves.
  while (six_digits(index) > value) {
    --index;
  }
  while (six_digits(index + 1) <= value) {
    ++index;
  }
  return index;
}

struct Point {
  std::int64_t index;
  double x;  // log value; on a mirrored lattice -log value, so that x rises with the index
  double y;  // the function's value at the index
};

// The slope of the line through two points; nullopt unless the line rises and is neither nearly flat nor
// nearly vertical.
std::optional<double> slope_between(const Point& a, const Point& b) {
  const double slope = (b.y - a.y) / (b.x - a.x);
  return std::isfinite(slope) && slope > 0.01 && slope < 1e4 ? std::optional(slope) : std::nullopt;
}

class Search {
 public:
  Search(const BoundarySearch& where, const std::function<double(std::int64_t)>& function)
      : where_(where), function_(function), slope_(where.slope), reach_(where.reach) {}

  std::optional<std::int64_t> run() {
    evaluate(where_.start);
    while (!within_ || !above_) {
      if (next_is_surely_above()) {
        return within_->index;
      }
      const std::int64_t end = within_ ? where_.last : where_.first;
      if (newest_.index == end) {
        return within_ ? std::optional(end) : std::nullopt;
      }
      evaluate(outward());
    }
    while (above_->index - within_->index > 1 && !next_is_surely_above()) {
      evaluate(between());
    }
    return within_->index;
  }

 private:
  double x_of(std::int64_t index) const {
    const double x = std::log(where_.lattice.value(index));
    return where_.lattice.mirrored ? -x : x;
  }
  std::int64_t index_at(double x) const {
    return where_.lattice.index(std::exp(where_.lattice.mirrored ? -x : x));
  }

  void evaluate(std::int64_t index) {
    const Point point{index, x_of(index), function_(index)};
    const auto slope = evaluated_ > 0 ? slope_between(newest_, point) : std::nullopt;
    if (slope) {
      slope_ = *slope;
    }
    near_ = slope && std::fabs(point.x - newest_.x) <= kSmoothOver;
    ++evaluated_;
    newest_ = point;
    (point.y <= 0 ? within_ : above_) = point;
  }

  // Whether a smooth function need not be evaluated at the lattice point after the newest one. This is so if
  // the newest value is not above zero, the point evaluated before is close by, and the line through these
  // two is clearly above zero at the next lattice point: by more than kSpare times its rise from the newest
  // point.
  bool next_is_surely_above() const {
    constexpr double kSpare = 0.25;
    if (!where_.smooth || !near_ || !within_ || within_->index != newest_.index ||
        newest_.index == where_.last) {
      return false;
    }
    const double step = slope_ * (x_of(newest_.index + 1) - newest_.x);
    return newest_.y + step > kSpare * step;
  }

  // The next point to evaluate while only one side of the boundary is known. If the function is smooth and
  // its zero seems close, Newton's method gives the point. Otherwise the step is 2 % longer than Newton's, so
  // that it aims past the boundary, but not shorter than a least length that grows each time.
  std::int64_t outward() {
    if (const double step = -newest_.y / slope_; where_.smooth && std::fabs(step) <= kSmoothOver) {
      const std::int64_t index = within(index_at(newest_.x + step), where_.first, where_.last);
      return within_ ? larger(index, newest_.index + 1) : smaller(index, newest_.index - 1);
    }
    const double direction = within_ ? 1 : -1;
    constexpr double kFurthest = 3;
    const double newton = 1.02 * std::fabs(newest_.y) / slope_;
    const double step = std::isfinite(newton) ? within(newton, reach_, kFurthest) : 4 * reach_;
    reach_ = smaller(4 * reach_, kFurthest / 4);
    const double x = within(newest_.x + direction * step, x_of(where_.first), x_of(where_.last));
    const std::int64_t index = within(index_at(x), where_.first, where_.last);
    return within_ ? larger(index, newest_.index + 1) : smaller(index, newest_.index - 1);
  }

  // The next point to evaluate once both sides are known. It is where the line with the newest slope through
  // the newest point crosses zero, or, if that is outside the bracket, where the bracket's chord crosses
  // zero. If that fails too, or progress is slow, it is the middle of the bracket.
  std::int64_t between() {
    const std::int64_t gap = above_->index - within_->index;
    slow_ = 2 * gap > last_gap_ ? slow_ + 1 : 0;
    last_gap_ = gap;
    double x = newest_.x - newest_.y / slope_;
    if (!(x >= within_->x && x < above_->x)) {
      const double chord = (above_->y - within_->y) / (above_->x - within_->x);
      x = within_->x - within_->y / chord;
    }
    if (constexpr int kPatience = 4; slow_ >= kPatience || !(x >= within_->x && x < above_->x)) {
      x = within_->x + (above_->x - within_->x) / 2;
      slow_ = 0;
    }
    const std::int64_t index = index_at(x);
    // The zero seems to lie right after within_. Then within_ is the answer if the next lattice point is
    // above zero, so a point close to within_ is evaluated.
    if (index <= within_->index) {
      nudge_ *= 2;
      return smaller(within_->index + nudge_ / 2, above_->index - 1);
    }
    return within(index, within_->index + 1, above_->index - 1);
  }

  // The largest distance in x at which a line predicts a smooth function.
  static constexpr double kSmoothOver = 1e-2;

  const BoundarySearch& where_;
  const std::function<double(std::int64_t)>& function_;
  double slope_;
  double reach_;
  std::int64_t nudge_ = 1;
  std::int64_t last_gap_ = 0;
  int slow_ = 0;
  int evaluated_ = 0;
  bool near_ = false;  // whether slope_ comes from the newest two points and they are close together
  Point newest_{};
  std::optional<Point> within_;
  std::optional<Point> above_;
};

}  // namespace

Lattice Lattice::mirror() const {
  const auto forward = *this;
  return {.value = [forward](std::int64_t at) { return forward.value(-at); },
          .index =
              [forward](double wanted) {
                const std::int64_t below = forward.index(wanted);
                return forward.value(below) < wanted ? -below - 1 : -below;
              },
          .mirrored = !mirrored};
}

Lattice whole_numbers() {
  return {.value = [](std::int64_t index) { return static_cast<double>(index); },
          .index = [](double value) { return static_cast<std::int64_t>(std::floor(value)); }};
}

Lattice six_digit_numbers() { return {.value = six_digits, .index = six_digit_index}; }

std::optional<std::int64_t> BoundarySearch::last_within(
    const std::function<double(std::int64_t)>& function) const {
  return Search(*this, function).run();
}

}  // namespace muster::numerics
