#include "muster/reporting/line_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/core/utf8.h"

namespace muster::reporting {
namespace {

constexpr double kGap = 16;                // pixels from one label to the next
constexpr double kMark = 24, kWords = 36;  // pixels from the panel to a label's mark, and to its words
constexpr double kCharacter = 7.1;         // an upper estimate of the mean width of a character
constexpr const char* kEllipsis = "\u2026";

// Returns the places at which the characters of the text begin, and its length. An invalid byte counts as a
// character.
std::vector<std::size_t> characters(std::string_view text) {
  std::vector<std::size_t> places = {0};
  while (places.back() < text.size()) {
    places.push_back(places.back() + std::max<std::size_t>(1, utf8_length(text.substr(places.back()))));
  }
  return places;
}

// Labels that touch each other, and move as one.
struct Block {
  // The sum over the labels of the block: for each, the position of the block's first label that would put
  // this label where it is wanted.
  double sum;
  std::size_t count;
};

}  // namespace

std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  if (wanted.empty()) return {};
  const auto steps = static_cast<double>(wanted.size() - 1);
  if (steps * gap > high - low) gap = (high - low) / steps;
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  // After i gaps are subtracted from the i-th position, the positions need only be in ascending order. The
  // nearest such positions are the means of blocks (the pool-adjacent-violators algorithm), moved into the
  // range.
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    blocks.push_back({wanted[order[i]] - gap * static_cast<double>(i), 1});
    const auto mean = [&](std::size_t back) {
      const Block& block = blocks[blocks.size() - back];
      return block.sum / static_cast<double>(block.count);
    };
    while (blocks.size() > 1 && mean(2) >= mean(1)) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t at = 0;
  for (const Block& block : blocks) {
    const double place =
        std::clamp(block.sum / static_cast<double>(block.count), low, std::max(low, high - steps * gap));
    for (std::size_t i = 0; i < block.count; ++i, ++at) {
      places[order[at]] = place + gap * static_cast<double>(at);
    }
  }
  return places;
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::vector<std::size_t> places = characters(text);
  const std::size_t count = places.size() - 1;
  if (count <= most) return std::string(text);
  const std::size_t tail = (most - 1) / 2, head = most - 1 - tail;
  return std::string(text.substr(0, places[head])) + kEllipsis +
         std::string(text.substr(places[count - tail]));
}

double label_width(const std::vector<LineLabel>& labels) {
  std::size_t longest = 0;
  for (const LineLabel& label : labels) {
    longest = std::max(longest, characters(label.words).size() - 1);
  }
  return kWords + kCharacter * static_cast<double>(longest);
}

std::string line_labels(const ChartPanel& panel, const std::vector<LineLabel>& labels) {
  std::vector<double> ends;
  for (const LineLabel& label : labels) ends.push_back(panel.y().at(label.end.y));
  const std::vector<double> places = spread(ends, kGap, panel.y().to() + 4, panel.y().from() - 4);
  const double edge = panel.x().to();
  std::string svg;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const LineLabel& label = labels[i];
    svg += fmt::format(
        "<path class=\"{}\" d=\"M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f}\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"1\" stroke-opacity=\"0.8\" stroke-dasharray=\"2 2\"/>\n",
        label.stroke.css, panel.x().at(label.end.x), ends[i], edge, ends[i], edge + kMark - 5, places[i],
        label.stroke.colour);
    svg += mark_svg({edge + kMark, places[i]}, label.shape, label.stroke, 4.5);
    svg += fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", edge + kWords,
                       places[i] + 4, kInk, escaped(label.words));
  }
  return svg;
}

}  // namespace muster::reporting
