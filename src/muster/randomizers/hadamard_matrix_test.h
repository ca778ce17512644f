// The Hadamard matrix for tests, built by the recursion H_2D = [[H, H], [H, -H]] instead of by counting bits.
// The function is pure.
#pragma once

#include <cstddef>
#include <vector>

namespace muster::randomizers {

// `size` must be a power of two.
inline std::vector<std::vector<int>> hadamard_matrix(std::size_t size) {
  std::vector<std::vector<int>> h{{1}};
  while (h.size() < size) {
    const std::size_t half = h.size();
    std::vector<std::vector<int>> next(2 * half, std::vector<int>(2 * half));
    for (std::size_t i = 0; i < 2 * half; ++i) {
      for (std::size_t j = 0; j < 2 * half; ++j) {
        next[i][j] = h[i % half][j % half] * (i >= half && j >= half ? -1 : 1);
      }
    }
    h = next;
  }
  return h;
}

}  // namespace muster::randomizers
