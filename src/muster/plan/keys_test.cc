#include "muster/plan/keys.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace muster::protocols {
namespace {

TEST(PlanKeys, NamesAndFlagsAreUnique) {
  std::set<std::string_view> seen;
  for (const KeySpec& spec : plan_keys()) {
    EXPECT_TRUE(seen.insert(spec.key).second) << spec.key;
    EXPECT_TRUE(spec.flag.empty() || seen.insert(spec.flag).second) << spec.flag;
    EXPECT_NE(spec.allowed(), "") << spec.key;
  }
}

TEST(PlanKeys, NearestIsCloseOrNothing) {
  EXPECT_EQ(nearest("clinets", {"clients", "rate"}), "clients");
  EXPECT_EQ(nearest("zebra", {"clients", "rate"}), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest_key("population.delta"), "privacy.delta");
}

// docs/plan.md holds the table of this code. After a change of the table: MUSTER_UPDATE=1 and run this test.
TEST(PlanKeys, TheDocumentationIsThisTable) {
  const std::string path = "docs/plan.md";
  const std::string begin = "<!-- keys: begin, made by plan_keys_test -->\n";
  const std::string end = "<!-- keys: end -->";
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  const std::size_t from = text.find(begin) + begin.size();
  const std::size_t to = text.find(end);
  ASSERT_NE(text.find(begin), std::string::npos);
  ASSERT_NE(to, std::string::npos);
  if (std::getenv("MUSTER_UPDATE") != nullptr) {
    std::ofstream(path) << text.replace(from, to - from, key_reference());
    return;
  }
  EXPECT_EQ(text.substr(from, to - from), key_reference());
}

}  // namespace
}  // namespace muster::protocols
