// SPDX-License-Identifier: Apache-2.0
#include "checks/placeholders.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "api/base/text.h"
#include "checks/words/fix.h"
#include "checks/words/names.h"
#include "checks/words/packages.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::array<std::string_view, 12> kKeys{"device", "port",  "netdev",    "priority", "dscp", "tos",
                                                 "mtu",    "speed", "transport", "memlock",  "pid",  "profile"};

// Before the name of software.
constexpr std::string_view kInstall = "install ";

template <class T>
std::string NumberText(const std::optional<T>& number) {
  return number ? std::to_string(*number) : std::string();
}

// Empty when it is not known.
std::string ValueOf(std::string_view key, const Facts& host, const Port* port, const Profile& profile,
                    const NetdevRef* ethernet) {
  if (key == "device") return port == nullptr || port->device.empty() ? "" : ShellWord(port->device);
  if (key == "port") return port == nullptr ? "" : std::to_string(port->number);
  if (key == "netdev" && ethernet != nullptr && *ethernet) return NetdevWord(*ethernet);
  if (key == "netdev") return port == nullptr ? "" : NetdevWord(port->netdev);
  if (key == "priority") return NumberText(profile.rdma_priority);
  if (key == "dscp") return NumberText(profile.dscp);
  if (key == "tos") return NumberText(WantedTos(profile));
  if (key == "mtu") return NumberText(profile.mtu_bytes);
  if (key == "speed") return NumberText(profile.min_speed_mbps);
  if (key == "transport" && profile.transport != Profile::Transport::kAny)
    return std::string(Name(profile.transport));
  if (key == "memlock") return profile.min_memlock_bytes ? BytesText(*profile.min_memlock_bytes) : "";
  if (key == "profile" && !profile.name.empty()) return ShellWord(profile.name);
  if (key == "pid") return host.memlock && host.memlock->pid > 0 ? std::to_string(host.memlock->pid) : "";
  return {};
}

}  // namespace

std::string FillIn(std::string_view text, const Facts& host, const Port* port, const Profile& profile,
                   const NetdevRef* ethernet) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    const std::string_view key = close == std::string_view::npos ? "" : text.substr(1, close - 1);
    std::string value = key.starts_with(kInstall)
                            ? InstallCommand(PackageManagerOf(host), key.substr(kInstall.size()))
                            : ValueOf(key, host, port, profile, ethernet);
    if (value.empty() && std::ranges::find(kKeys, key) == kKeys.end()) {
      filled += '{';
      text.remove_prefix(1);
      continue;
    }
    if (value.empty()) {
      value = key;
      std::ranges::transform(value, value.begin(),
                             [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }
    filled += value;
    text.remove_prefix(close + 1);
  }
  return filled;
}

void FillIn(Finding& finding, const Facts& host, const Port* port, const Profile& profile,
            const NetdevRef* ethernet) {
  if (!finding.remedy) return;
  SetRemedy(finding, WithTexts(*std::move(finding.remedy), [&](const std::string& text) {
              return FillIn(text, host, port, profile, ethernet);
            }));
}

std::optional<unsigned> WantedTos(const Profile& profile) {
  if (profile.tos) return *profile.tos;
  constexpr unsigned kEct0 = 2;
  if (profile.dscp) return (static_cast<unsigned>(*profile.dscp) << 2) | (profile.ecn ? kEct0 : 0U);
  return std::nullopt;
}

}  // namespace rdmaready
