#include "role_process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/reporting/json.h"
#include "muster/service/config/key_file.h"

namespace muster::app {

void forbid_core_files() {
  constexpr rlimit kNone{0, 0};
  if (::setrlimit(RLIMIT_CORE, &kNone) != 0 || ::prctl(PR_SET_DUMPABLE, 0) != 0) {
    throw Error(ErrorCode::internal, "core files", "", "", "cannot be forbidden");
  }
}

void begin_role() {
  forbid_core_files();
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  std::signal(SIGPIPE, SIG_IGN);
  catch_signals();
}

service::RoleFile role_file(const std::string& file) {
  if (file.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "FILE", "", "the configuration, a TOML file",
                "is missing");
  }
  return service::RoleFile(file);
}

service::TaskDocument read_task(const std::string& file) {
  return service::TaskDocument::parse(read_file(file), file);
}

service::RoleFolder role_folder(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorCode::file, path, "", "the folder in which `muster keygen` left the key",
                "does not exist");
  }
  return service::RoleFolder(path);
}

wire::SigningKey role_key(const service::RoleFolder& folder, const std::string& role) {
  return service::read_secret_key(folder.path() / (role + ".key"), role);
}

void announce(const std::vector<std::pair<std::string, std::string>>& servers, bool json) {
  reporting::JsonObject object;
  std::string words;
  for (const auto& [whom, url] : servers) {
    object.text(whom, url);
    words += fmt::format("{}{} for {}", words.empty() ? "" : ", ", url, whom);
  }
  if (json) {
    fmt::print("{}\n", reporting::JsonObject().object("ready", object).str());
  } else {
    fmt::print("ready     {}\n", words);
  }
  std::fflush(stdout);
}

}  // namespace muster::app
