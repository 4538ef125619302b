// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/dcb_keepers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/base/status.h"
#include "collectors/system/boot_files.h"
#include "collectors/system/started_units.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLldpadUnit = "lldpad.service";

constexpr std::array<std::string_view, 15> kDcbWords{
    "dcb ets", "dcb pfc",      "dcb app", "dcb buffer", "dcb dcbx", "mlnx_qos",   "doRoCE", "lldptool",
    "dcbtool", "bnxt_setupcc", "niccli",  "bnxtqos",    "nicctl",   "/qos/trust", "[dcb]"};
// Hooks of MLNX_OFED's openibd, and the connections of NetworkManager, which has DCB among its settings.
const std::vector<std::string_view> kDcbFolders{"/etc/infiniband", "/etc/NetworkManager/system-connections"};

using Names = std::vector<std::string>;

// Nothing when it keeps none.
absl::StatusOr<Names> LldpadSettings(HostReader& host) {
  absl::StatusOr<Names> lines = host.FindLines(kLldpadSettings, {kLldpadWords});
  if (lines.status().code() == absl::StatusCode::kNotFound) return Names{};
  return lines;
}

}  // namespace

const std::vector<std::string_view>& DcbFolders() { return kDcbFolders; }
std::vector<std::string> DcbWords() { return {kDcbWords.begin(), kDcbWords.end()}; }

Fact<std::vector<std::string>> ReadDcbKeepers(HostReader& host, const BootScripts& scripts) {
  const Fact<Names> files = BootFilesWith(host, kDcbFolders, DcbWords());
  const Fact<Names> followed = FilesWith(host, FollowedPaths(scripts), DcbWords());
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
  if (followed) keepers.insert(keepers.end(), followed->begin(), followed->end());
  std::optional<Missing> gap = scripts.gap;
  if (!followed) gap = followed.missing();
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
