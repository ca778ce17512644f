// The characteristic function of a law on a lattice at every frequency of a period, by one fast
// Fourier transform.
//
// A law on multiples of h, wrapped to N cells, has
//     phi(2 pi j / (N h)) = sum over atoms of w e^{2 pi i j m / N},   m = y / h:
// the discrete Fourier transform of its weights. Adding up atom by atom takes as many operations as there
// are atoms times frequencies; the transform takes N log N whatever the number of atoms. That is what a
// few rounds of a finely tabulated curve need, whose characteristic function hardly decays. Every output
// is a sum over the weights of products of log2 N rotations: its error is absolute and at most error()
// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 24.1, in the one-norm). Pure;
// call from any thread.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::numerics {

class LatticeTransform {
 public:
  // weights[i] >= 0 is the weight of the lattice point index[i], which may be negative; no point occurs
  // twice. `log2_cells` is in 1 .. 30.
  LatticeTransform(const std::vector<std::int64_t>& index, const std::vector<double>& weights,
                   int log2_cells);

  std::size_t cells() const { return re_.size(); }
  // Sum over the atoms of w (e^{2 pi i j m / N} - 1), for j in 0 .. N - 1.
  std::complex<double> minus_total(std::size_t j) const { return {re_[j] - re_[0], im_[j] - im_[0]}; }
  // A bound on the absolute error of minus_total.
  double error() const { return error_; }

 private:
  std::vector<double> re_;
  std::vector<double> im_;
  double error_;
};

}  // namespace muster::numerics
