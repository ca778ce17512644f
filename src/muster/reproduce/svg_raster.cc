#include "muster/reproduce/svg_raster.h"

#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>

#include "muster/core/error.h"

namespace muster::reproduce {
namespace {

constexpr double kScale = 2;

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Release>;

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(ErrorCode::internal, "picture", "", "", "could not be rendered: " + reason);
}

[[noreturn]] void refuse(GError* error) {
  const std::string reason = error == nullptr ? "unknown" : error->message;
  g_clear_error(&error);
  refuse(reason);
}

cairo_status_t append(void* png, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string png_of(std::string_view svg) {
  GError* error = nullptr;
  const Owned<RsvgHandle> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (handle == nullptr) refuse(error);
  double width = 0, height = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height)) refuse("it has no size");
  const Owned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(std::ceil(kScale * width)),
                                 static_cast<int>(std::ceil(kScale * height))));
  const Owned<cairo_t> context(cairo_create(surface.get()));
  const RsvgRectangle all{0, 0, kScale * width, kScale * height};
  if (!rsvg_handle_render_document(handle.get(), context.get(), &all, &error)) refuse(error);
  std::string png;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) refuse(cairo_status_to_string(status));
  return png;
}

}  // namespace muster::reproduce
