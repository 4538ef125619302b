// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/dcb_keepers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/base/status.h"
#include "collectors/system/boot_files.h"

namespace rdmaready {
namespace {

constexpr std::string_view kUnitFolder = "/etc/systemd/system";
constexpr std::string_view kLldpadUnit = "lldpad.service";

constexpr std::array<std::string_view, 15> kDcbWords{
    "dcb ets", "dcb pfc",      "dcb app", "dcb buffer", "dcb dcbx", "mlnx_qos",   "doRoCE", "lldptool",
    "dcbtool", "bnxt_setupcc", "niccli",  "bnxtqos",    "nicctl",   "/qos/trust", "[dcb]"};
// Hooks of MLNX_OFED's openibd, and the connections of NetworkManager, which has DCB among its settings.
const std::vector<std::string_view> kDcbFolders{"/etc/infiniband", "/etc/NetworkManager/system-connections"};

using Names = std::vector<std::string>;

// The names in systemd's folders of links: what is started. What cannot be listed is told.
struct StartedUnits {
  Names links{};
  std::optional<Missing> gap{};
};

StartedUnits ReadStartedUnits(HostReader& host) {
  StartedUnits started;
  const absl::StatusOr<Names> folders = host.ListDirectory(kUnitFolder);
  if (!folders.ok()) return started;
  for (const std::string& folder : *folders) {
    if (!folder.ends_with(".wants") && !folder.ends_with(".requires")) continue;
    const absl::StatusOr<Names> links = host.ListDirectory(std::string(kUnitFolder) + "/" + folder);
    if (links.ok()) {
      started.links.insert(started.links.end(), links->begin(), links->end());
    } else {
      started.gap = MissingFrom(links.status());
    }
  }
  return started;
}

bool IsStarted(const StartedUnits& started, std::string_view unit) {
  return std::ranges::any_of(started.links, [unit](const std::string& link) { return StartsUnit(link, unit); });
}

// Nothing when it keeps none.
absl::StatusOr<Names> LldpadSettings(HostReader& host) {
  absl::StatusOr<Names> lines = host.FindLines(kLldpadSettings, {kLldpadWords});
  if (lines.status().code() == absl::StatusCode::kNotFound) return Names{};
  return lines;
}

}  // namespace

const std::vector<std::string_view>& DcbFolders() { return kDcbFolders; }
std::vector<std::string> DcbWords() { return {kDcbWords.begin(), kDcbWords.end()}; }

bool StartsUnit(std::string_view link, std::string_view unit) {
  const auto stem = [](std::string_view name) {
    name = name.substr(0, name.rfind('.'));
    return name.substr(0, name.find('@'));
  };
  return stem(link) == stem(unit);
}

Fact<std::vector<std::string>> ReadDcbKeepers(HostReader& host) {
  const Fact<Names> files = BootFilesWith(host, kDcbFolders, DcbWords());
  const StartedUnits started = ReadStartedUnits(host);
  const std::string prefix = std::string(kUnitFolder) + "/";
  Names keepers;
  bool may_be_started = false;
  for (const std::string& path : files ? *files : Names{}) {
    const bool unit = path.starts_with(prefix);
    if (!unit || IsStarted(started, path.substr(prefix.size()))) {
      keepers.push_back(path);
    } else {
      may_be_started = true;
    }
  }
  std::optional<Missing> gap;
  if (!files) gap = files.missing();
  if (started.gap && may_be_started) gap = started.gap;
  const bool lldpad = IsStarted(started, kLldpadUnit);
  if (lldpad || started.gap) {
    const absl::StatusOr<Names> settings = LldpadSettings(host);
    const bool told = settings.ok() && !settings->empty();
    if (!settings.ok()) gap = MissingFrom(settings.status());
    if (told && lldpad) keepers.emplace_back(kLldpadSettings);
    if (told && !lldpad) gap = started.gap;
  }
  if (keepers.empty() && gap) return *gap;
  return keepers;
}

}  // namespace rdmaready
