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

// Forbids core files and tracing, lets the process open as many files as its owner may, and turns signals
// into a flag (interrupt.h). A peer that went away is an error of the connection, and no signal.
void begin_role();

// The configuration in `file`. Throws Error(usage) if no file was named, and as RoleFile.
service::RoleFile role_file(const std::string& file);
// Throws Error(file) if the file cannot be read or is no task document.
service::TaskDocument read_task(const std::string& file);
// The folder of a role or of devices, which holds their keys. Throws Error(file) if it does not exist, so
// that a name that was mistyped leaves nothing behind, and as RoleFolder.
service::RoleFolder role_folder(const std::string& path);
// The secret key ROLE.key in the role's folder.
wire::SigningKey role_key(const service::RoleFolder& folder, const std::string& role);

// Prints, at once, where the servers listen: for whom, and the URL. As words, or as one JSON line.
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
