#include "muster/plan/variants.h"

#include <algorithm>
#include <string_view>

#include "muster/plan/keys.h"

namespace muster::protocols {
namespace {

std::string_view stated(const PlanSource& source, std::string_view key) {
  const RawValue* value = source.find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

bool applies(std::string_view key, const PlanSource& source) {
  const KeySpec* spec = find_key(key);
  return spec != nullptr &&
         spec->applies_to(stated(source, "participation.protocol"), stated(source, "randomizer.kind"));
}

}  // namespace

std::vector<PlanSource> variants_of(const PlanSource& base, const std::vector<Settings>& settings,
                                    const std::string& given_by) {
  std::vector<PlanSource> variants(settings.size(), base);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (const auto& [key, value] : settings[i]) variants[i].override_key(key, value, given_by);
  }
  for (const auto& entry : base.entries()) {
    const std::string& key = entry.first;
    const auto applies_here = [&key](const PlanSource& variant) { return applies(key, variant); };
    if (entry.second.origin.is_flag() && std::ranges::any_of(variants, applies_here)) {
      for (PlanSource& variant : variants) variant.allow_leaving_out(key);
    }
  }
  return variants;
}

}  // namespace muster::protocols
