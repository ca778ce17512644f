// What the commands of a deployment's roles have in common: how their process begins, what it reads, and how
// it tells that it is ready.
//
// Keys and uploads are in the memory of these processes, so none of them leaves a core file or lets another
// process of the user look into it. Call from the main thread.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "interrupt.h"
#include "muster/service/config/role_file.h"
#include "muster/service/config/role_folder.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/signature.h"

namespace muster::app {

// Forbids core files and tracing, for a process that has a secret key in memory.
void forbid_core_files();
// Does the same, lets the process open as many files as its owner may, and turns signals into a flag
// (interrupt.h). Writing to a peer that went away is an error of the connection and sends no signal.
void begin_role();

// Returns the configuration in `file`. Throws Error(usage) if no file was named, and what RoleFile throws.
service::RoleFile role_file(const std::string& file);
// Throws Error(file) if the file cannot be read or is no task document.
service::TaskDocument read_task(const std::string& file);
// Returns the folder of a role or of devices, which holds their keys. Throws Error(file) if it does not
// exist, so that a mistyped name creates no folder, and what RoleFolder throws.
service::RoleFolder role_folder(const std::string& path);
// Returns the secret key ROLE.key in the role's folder.
wire::SigningKey role_key(const service::RoleFolder& folder, const std::string& role);

// Prints without delay where the servers listen, in words or as one JSON line. A server is a pair: who uses
// it, and its URL.
void announce(const std::vector<std::pair<std::string, std::string>>& servers, bool json);

// Waits until a signal arrives, calling `look` from time to time. Throws the error that ended the server.
template <typename Server, typename Look>
void serve_until_signal(Server& server, const Look& look) {
  constexpr std::chrono::milliseconds kPause{200};
  while (!interrupted()) {
    server.wait(0);
    look();
    wait_for_signal(kPause);
  }
}

}  // namespace muster::app
