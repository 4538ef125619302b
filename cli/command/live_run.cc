// SPDX-License-Identifier: Apache-2.0
#include "cli/command/live_run.h"

#include <CLI/CLI.hpp>

#include "api/base/quantity.h"
#include "api/pki/file.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {

void AddTwoHosts(CLI::App& app, std::vector<std::string>& hosts) {
  app.add_option("HOST", hosts, "From the first to the second: name-or-address[:port] of their agents")
      ->expected(2)
      ->required();
}

void AddLivePorts(CLI::App& app, std::vector<std::string>& ports) {
  app.add_option(
         "--port", ports,
         "The RDMA port of that name: of that host, or of every other one (default: those of one subnet). May "
         "be repeated")
      ->type_name("[HOST=]DEV/N")
      ->allow_extra_args(false);
}

void AddPicture(CLI::App& app, std::string& file, const std::string& shows) {
  app.add_option("--svg", file, shows)->type_name("FILE.svg");
}

absl::StatusOr<std::chrono::milliseconds> LiveTime(const std::string& option, const std::string& text) {
  const absl::StatusOr<std::chrono::milliseconds> time = ParseDuration(text);
  if (!time.ok()) return absl::InvalidArgumentError(option + ": " + Message(time.status()));
  return *time;
}

std::vector<HostClient> ConnectLive(const Context& context, const LiveRun& live, ExitStatus& status) {
  const auto fail = [&](ExitStatus why, const std::string& error, const std::string& host = {}) {
    status = context.Fail(why, error, host);
    return std::vector<HostClient>();
  };
  const absl::StatusOr<std::vector<HostAddress>> addresses = ParseHosts(live.hosts);
  if (!addresses.ok()) return fail(ExitStatus::kUsage, Message(addresses.status()));
  if (addresses->size() != live.hosts.size())
    return fail(ExitStatus::kUsage, live.command + " takes single hosts, no lists");
  context.console.Progress("connecting");
  absl::StatusOr<std::vector<HostClient>> hosts = OpenClients(*addresses, context.client(), context.interrupt);
  if (!hosts.ok()) return fail(ExitStatus::kUsage, Message(hosts.status()));
  for (const HostClient& host : *hosts)
    if (host.agent == nullptr) return fail(host.failure, host.error, host.name);
  return *std::move(hosts);
}

ExitStatus WritePicture(const Context& context, const std::string& option, const std::string& file,
                        const std::string& picture, ExitStatus status) {
  constexpr ::mode_t kPictureMode = 0644;
  if (file.empty()) return status;
  const absl::Status drawn = pki::WriteFile(file, picture, kPictureMode, pki::Existing::kReplaced);
  return drawn.ok() ? status : context.Fail(ExitStatus::kOwnFailure, option + ": " + Message(drawn));
}

void EndLive(const Context& context) {
  context.interrupt.Disarm();
  context.console.EraseProgress();
}

}  // namespace rdmaready
