// Renders an SVG picture as PNG, at twice its size, with librsvg (docs/decisions/0037-librsvg.md). The
// function keeps nothing between calls and may be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace muster::reproduce {

// Returns the bytes of the PNG file. Throws Error(internal) if the picture is not valid SVG.
std::string png_of(std::string_view svg);

}  // namespace muster::reproduce
