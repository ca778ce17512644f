#include "muster/accounting/composition/rare_jump.h"

#include <cmath>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr int kMostCells = 17;  // log2, of a fast transform: several splits are tried
constexpr double kWork = 5e6;
// Probabilities are sums of weights in extended precision, and powers of numbers close to 1.
constexpr double kOutward = 1e-11;
constexpr double kUlp = 2.3e-16;

// Moments of the sum of all rounds but one of the left-out part.
struct Moments {
  double log_mgf = 0;
  double error = 0;  // of it
  double mean = 0;
  double variance = 0;
  double absolute_mean = 0;  // of each, summed
};

// Every part's tilt at one point, computed once.
class Tilts {
 public:
  Tilts(Parts parts, double at) : parts_(parts) {
    for (const RepeatedLoss& part : parts) {
      tilts_.push_back(numerics::tilt_of(*part.losses, at));
      errors_.push_back(log_mgf_error(*part.losses, tilts_.back(), at));
    }
  }
  Moments without(std::size_t left_out) const {
    Moments total;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const double copies = parts_[i].rounds - (i == left_out ? 1 : 0);
      if (copies > 0) {
        total.log_mgf += copies * tilts_[i].log_mgf;
        total.error += copies * (errors_[i] + kUlp * (static_cast<double>(parts_.size()) + 2) *
                                                  std::abs(tilts_[i].log_mgf));
        total.mean += copies * tilts_[i].mean;
        total.variance += copies * tilts_[i].variance;
        total.absolute_mean += copies * tilts_[i].absolute_mean;
      }
    }
    return total;
  }

 private:
  Parts parts_;
  std::vector<numerics::Tilt> tilts_;
  std::vector<double> errors_;
};

// The points at which moment generating functions are taken, around the saddle point c.
struct Points {
  Points(Parts parts, double c) : plain(parts, 0), back(parts, -1) {
    for (const double factor : {3.0, 1.0, 1.0 / 3, 1.0 / 9}) {
      slopes.push_back(c * factor);
      calls.emplace_back(parts, slopes.back());
      puts.emplace_back(parts, -1 - slopes.back());
    }
    for (const RepeatedLoss& part : parts) {
      atoms = numerics::larger(atoms, static_cast<double>(part.losses->points.size()));
    }
    atoms += static_cast<double>(parts.size());
  }
  Tilts plain;
  Tilts back;
  std::vector<double> slopes;
  std::vector<Tilts> calls;
  std::vector<Tilts> puts;
  double atoms = 0;  // roundings in a sum
};

// The other rounds' sum S', given that each is at most the size: bounds on E (1 - e^{-u})_+ of u = S' + x.
class Others {
 public:
  Others(const Points& points, std::size_t left_out) {
    // The mean is a sum of rounded terms, the variance a difference of two.
    const Moments plain = points.plain.without(left_out);
    const double ulps = kUlp * (points.atoms + 16);
    mean_ = plain.mean + ulps * plain.absolute_mean;
    variance_ = plain.variance * (1 + 4 * ulps) + 4 * ulps * plain.absolute_mean * plain.absolute_mean;
    back_ = points.back.without(left_out);
    for (std::size_t i = 0; i < points.slopes.size(); ++i) {
      const double c = points.slopes[i];
      const double steepest = log_steepest(c);
      const Moments call = points.calls[i].without(left_out);
      calls_.push_back({c, call.log_mgf + call.error + steepest});
      const Moments put = points.puts[i].without(left_out);
      puts_.push_back({-1 - c, put.log_mgf + put.error + steepest});
    }
  }

  // x is known to a distance of `rounding`.
  numerics::Enclosure gain(double x, double rounding) const {
    return {least_gain(x - rounding), most_gain(x + rounding)};
  }

 private:
  struct Line {
    double slope;
    double constant;
  };
  // E (1 - e^{-u}), without the positive part, is off by no more.
  double cancelled(double x) const { return 2 * kUlp * (2 + std::abs(x) + std::abs(back_.log_mgf)); }
  double least_gain(double x) const {
    return numerics::larger(0.0, -std::expm1(back_.log_mgf + back_.error - x) - cancelled(x));
  }
  double most_gain(double x) const {
    const double most = -std::expm1(back_.log_mgf - back_.error - x) + cancelled(x);
    const double m = mean_ + x;
    const double root = std::sqrt(variance_ + m * m);
    const double scarf = m > 0 ? 0.5 * (root + m) : 0.5 * variance_ / (root - m);
    return numerics::larger(0.0, numerics::smaller(1.0, scarf * (1 + 1e-14), bounded(calls_, x),
                                                   numerics::larger(0.0, most) + bounded(puts_, x)));
  }
  // Least e^{constant + slope x}; NaN and overflow count as no bound.
  static double bounded(const std::vector<Line>& lines, double x) {
    double least = 700;
    for (const Line& line : lines) {
      const double exponent = line.constant + line.slope * x;
      const double rounding = 2 * kUlp * (std::abs(line.constant) + std::abs(line.slope * x));
      if (exponent + rounding < least) {
        least = exponent + rounding;
      }
    }
    return std::exp(least) * (1 + 1e-14);
  }
  double mean_;
  double variance_;
  Moments back_;
  std::vector<Line> calls_;
  std::vector<Line> puts_;
};

}  // namespace

RareJump::RareJump(Parts parts, double size) : laws_(parts.size()), far_(parts.size()) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    long double passed = 0;
    const numerics::AtomicLaw& law = *parts[i].losses;
    for (std::size_t a = 0; a < law.points.size(); ++a) {
      (law.points[a] > size ? far_ : laws_)[i].add(law.points[a], law.weights[a]);
      passed += law.points[a] > size ? law.weights[a] : 0;
    }
    const auto chance = static_cast<double>(passed);
    for (double& w : laws_[i].weights) {
      w /= 1 - chance;
    }
    chance_ += parts[i].rounds * chance;
    log_none_ += parts[i].rounds * std::log1p(-chance);
    near_.push_back({&laws_[i], 0, parts[i].rounds});
  }
}

RareJump::Value RareJump::value(double spacing, double epsilon) const {
  bool summed = true;
  double c = 1 / spacing;
  std::optional<numerics::Enclosure> none = trivial_value(near_, spacing, epsilon);
  if (!none) {
    const Integral integral(near_, spacing, epsilon);
    none = integral.value(kMostCells, kWork);
    summed = none.has_value();
    none = none.value_or(numerics::Enclosure{0, integral.chernoff()});
    c = integral.c();
  }
  const double kept = std::exp(log_none_) * (1 - kOutward);
  numerics::Enclosure total{none->lower * kept,
                            (none->upper * std::exp(log_none_) + 0.5 * chance_ * chance_) * (1 + kOutward)};
  const Points points(near_, c);
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const Others others(points, i);
    for (std::size_t a = 0; a < far_[i].points.size(); ++a) {
      const double weight = near_[i].rounds * far_[i].weights[a];
      const double y = far_[i].points[a];
      const numerics::Enclosure one = others.gain(y - epsilon, kUlp * (y + std::abs(epsilon)));
      total.lower += weight * kept * one.lower * (1 - kOutward);
      total.upper += weight * one.upper * (1 + kOutward);
    }
  }
  return {total, summed};
}

}  // namespace muster::accounting
