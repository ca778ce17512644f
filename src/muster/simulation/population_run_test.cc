// Runs populations whose vectors come from outside. The tests check what is charged, which round a budget
// stops, and that a run that was saved and resumed goes on with the same bits.
#include "muster/simulation/population_run.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/source.h"
#include "muster/simulation/setup.h"
#include "tests/support/temporary_folder.h"

namespace muster::simulation {
namespace {

constexpr std::size_t kDimension = 11;

protocols::Plan plan_of(const std::string& participation,
                        const std::string& randomizer = "kind = \"gaussian\"\nsigma = 2\nclip = 1\n",
                        const std::string& more = "") {
  const std::string text = "seed = 5\n[population]\nclients = 40\n[participation]\n" + participation +
                           "[randomizer]\n" + randomizer + "[rounds]\ncount = 4\n" + more;
  return protocols::Plan::validate(protocols::PlanSource::from_text(text, "a.toml"),
                                   protocols::Command::account);
}

const std::string kCheckIn = "protocol = \"shuffled-check-in\"\nrate = 0.5\n";
const std::string kGaussian = "kind = \"gaussian\"\nsigma = 2\nclip = 1\n";

std::vector<float> rows_of(std::span<const std::uint64_t> who, std::uint64_t step) {
  std::vector<float> rows;
  for (const std::uint64_t client : who) {
    for (std::size_t i = 0; i < kDimension; ++i) {
      rows.push_back(std::sin(static_cast<float>(client * 31 + i * 7 + step)));
    }
  }
  return rows;
}

// Runs the next step and returns its estimate.
std::vector<float> step(PopulationRun& run) {
  const std::uint64_t number = run.steps_begun();
  const std::span<const std::uint64_t> who = run.open();
  run.send(who, rows_of(who, number).data(), kDimension);
  std::vector<float> estimate(kDimension, NAN);
  run.close(estimate);
  return estimate;
}

std::string refusal(const std::function<void()>& call, ErrorCode code) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), code) << error.what();
  return error.what();
}

const std::vector<std::string> kProtocols = {
    "protocol = \"shuffle\"\n",
    kCheckIn,
    "protocol = \"subset\"\nsubset = 7\n",
    "protocol = \"aggregated-check-in\"\nrate = 0.5\nminimum = 3\n",
    "protocol = \"random-check-in-fixed\"\nrate = 0.9\nslots = 6\n",
    "protocol = \"random-check-in-averaged\"\nrate = 0.9\nslots = 6\n",
    "protocol = \"random-check-in-sliding\"\nrate = 0.9\nslots = 6\n",
};

TEST(PopulationRun, ARunThatIsSavedAndResumedGoesOnWithTheSameBits) {
  const muster::testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "run.json";
  for (const std::string& protocol : kProtocols) {
    for (const bool secret : {false, true}) {
      const protocols::Plan plan = plan_of(protocol);
      const PopulationOptions options{.dimension = kDimension, .secret = secret};
      PopulationRun whole(plan, options);
      for (int i = 0; i < 3; ++i) step(whole);
      whole.save(file);
      const auto resumed = PopulationRun::resumed(file, {.threads = 2});
      EXPECT_EQ(resumed->plan().hash(), plan.hash());
      EXPECT_EQ(resumed->steps_begun(), 3u);
      EXPECT_EQ(resumed->options().secret, secret);
      EXPECT_EQ(resumed->monitor().rounds_watched(), whole.monitor().rounds_watched());
      // Without the file, a secret key is not known, so the noise must differ.
      const auto continued = PopulationRun::continued(plan, options, whole.messages());
      EXPECT_EQ(continued->rounds_charged(), whole.rounds_charged());
      EXPECT_EQ(step(*continued) == step(*PopulationRun::resumed(file, {})), !secret) << protocol;
      while (whole.steps_begun() < whole.steps()) EXPECT_EQ(step(*resumed), step(whole)) << protocol;
      EXPECT_EQ(whole.rounds_charged(), plan.rounds()) << protocol;
      EXPECT_EQ(refusal([&] { whole.open(); }, ErrorCode::usage),
                "all rounds of the plan have begun: rounds.count = 4");
    }
  }
}

TEST(PopulationRun, APlansKeyRepeatsARunAndASecretOneDoesNot) {
  const protocols::Plan plan = plan_of(kCheckIn);
  const auto first = [&](bool secret) {
    PopulationRun run(plan, {.dimension = kDimension, .secret = secret});
    return step(run);
  };
  EXPECT_EQ(first(false), first(false));
  EXPECT_NE(first(true), first(true));
  EXPECT_NE(first(true), first(false));
}

TEST(PopulationRun, ASavedKeyIsReadableByItsOwnerAlone) {
  const muster::testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "run.json";
  PopulationRun(plan_of(kCheckIn), {.dimension = kDimension, .secret = true}).save(file);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 077, 0u);
}

TEST(PopulationRun, ARoundIsChargedWhenItBegins) {
  const protocols::Plan plan = plan_of("protocol = \"random-check-in-fixed\"\nrate = 0.9\nslots = 6\n");
  PopulationRun run(plan, {.dimension = kDimension});
  EXPECT_EQ(run.steps(), 24u);  // six slots in each of four runs
  EXPECT_EQ(run.rounds_charged(), 0u);
  run.open();
  EXPECT_EQ(run.rounds_charged(), 1u);
  EXPECT_EQ(refusal([&] { run.open(); }, ErrorCode::usage), "a round is open: end it before the next begins");
  EXPECT_EQ(refusal([&] { run.save("/nowhere"); }, ErrorCode::usage),
            "a round is open: end it before the population is saved");
  run.abandon();
  for (int slot = 1; slot < 6; ++slot) step(run);
  EXPECT_EQ(run.rounds_charged(), 1u);
  run.open();
  run.abandon();
  EXPECT_EQ(run.rounds_charged(), 2u);
  EXPECT_EQ(run.steps_begun(), 7u);
}

TEST(PopulationRun, TheRoundThatWouldPassTheBudgetDoesNotBegin) {
  const auto plan_with = [](const std::string& budget) {
    return plan_of(kCheckIn, kGaussian, "[privacy]\ndelta = 1e-5\n" + budget);
  };
  const double two = epsilon_of(plan_with(""))(2);
  PopulationRun run(plan_with("budget = " + std::to_string(two * 1.001)), {.dimension = kDimension});
  step(run);
  step(run);
  EXPECT_NE(refusal([&] { run.open(); }, ErrorCode::budget).find("pays for 2 of 4 rounds"),
            std::string::npos);
  EXPECT_EQ(run.rounds_charged(), 2u);
  EXPECT_FALSE(run.is_open());
  refusal([&] { PopulationRun(plan_with("budget = 1e-9\n"), {.dimension = kDimension}); }, ErrorCode::budget);
}

TEST(PopulationRun, PlansThatCannotRunAreRefused) {
  const auto plan_error = [](const protocols::Plan& plan, std::size_t dimension = kDimension) {
    return refusal([&] { PopulationRun(plan, {.dimension = dimension}); }, ErrorCode::plan);
  };
  EXPECT_NE(plan_error(plan_of(kCheckIn, "kind = \"gaussian\"\nsigma = 2\n"))
                .find("randomizer.clip is missing: a population needs it"),
            std::string::npos);
  EXPECT_NE(
      plan_error(plan_of(kCheckIn, kGaussian, "[privacy]\nbudget = 1\n")).find("privacy.delta is missing"),
      std::string::npos);
  EXPECT_NE(plan_error(plan_of(kCheckIn, "kind = \"pure\"\nepsilon0 = 1\n")).find("cannot run"),
            std::string::npos);
  EXPECT_NE(plan_error(plan_of(kCheckIn, "kind = \"k-rr\"\nk = 3\nepsilon0 = 1\n")).find("number of answers"),
            std::string::npos);
  plan_error(plan_of(kCheckIn), 0);
  plan_error(
      plan_of("protocol = \"random-check-in-fixed\"\nrate = 0.9\nslots = 6\n", kGaussian, "batch = 4\n"));
  plan_error(plan_of("protocol = \"random-check-in-sliding\"\nrate = 0.9\nslots = 41\n"));
  refusal(
      [] {
        PopulationRun(plan_of(kCheckIn, "kind = \"ldp-sgd\"\nepsilon0 = 1\nclip = 1\n"),
                      {.dimension = kDimension, .fidelity = Fidelity::sum});
      },
      ErrorCode::usage);
}

TEST(PopulationRun, MessagesThatThePlanCannotHaveHadAreRefused) {
  const PopulationOptions options{.dimension = kDimension};
  refusal(
      [&] {
        PopulationRun::continued(plan_of(kCheckIn), options, {1, 1, 1, 1, 1});
      },
      ErrorCode::checkpoint);
  refusal([&] { PopulationRun::continued(plan_of(kCheckIn), options, {41}); }, ErrorCode::data);
}

TEST(PopulationRun, AFileThatIsNotAsItWasSavedIsRefused) {
  const muster::testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "run.json";
  PopulationRun run(plan_of(kCheckIn), {.dimension = kDimension, .secret = true});
  step(run);
  run.save(file);
  std::ifstream in(file);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  const auto resume = [&](const std::string& text) {
    std::ofstream(file) << text;
    return refusal([&] { PopulationRun::resumed(file, {}); }, ErrorCode::checkpoint);
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  // The checksum would reveal each of these changes, so it is computed anew.
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = replaced(from, to);
    const std::size_t end = text.find(",\"checksum\":");
    text = text.substr(0, end) + "}";
    const std::string message =
        resume(text.substr(0, end) + ",\"checksum\":\"" + protocols::hash_of(text) + "\"}\n");
    EXPECT_EQ(message.find("checksum"), std::string::npos) << message;
  };
  for (std::size_t length = 0; length + 2 < good.size(); length += 13) resume(good.substr(0, length));
  changed("\"muster_population\":1", "\"muster_population\":2");
  changed("\"dimension\":11", "\"dimension\":-11");
  changed("\"dimension\":11", "\"dimension\":0");
  changed("\"fidelity\":\"message\"", "\"fidelity\":\"none\"");
  changed("\"key\":\"", "\"key\":\"x");
  changed("\"messages\":[", "\"messages\":[41,");       // 41 messages, but 40 clients
  changed("\"messages\":[", "\"messages\":[1,1,1,1,");  // five rounds, but the plan has four
  changed("\"messages\":[", "\"messages\":[-1,");
  changed("sigma = 2", "sigma = 2 ");
  changed("clients = 40", "clients = 0");
  for (const auto& [from, to] :
       {std::pair{"\"dimension\":11", "\"dimension\":12"}, std::pair{"clients = 40", "clients = 41"},
        std::pair{"\"messages\":[", "\"messages\":[1,"}}) {
    EXPECT_NE(resume(replaced(from, to)).find("its checksum does not match"), std::string::npos) << to;
  }
  refusal([&] { PopulationRun::resumed(folder.path() / "none.json", {}); }, ErrorCode::file);
}

}  // namespace
}  // namespace muster::simulation
