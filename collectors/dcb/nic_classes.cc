// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/nic_classes.h"

#include <fmt/format.h>

#include <bitset>
#include <optional>
#include <vector>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::size_t kShownClassBytes = 40;

template <class T>
Fact<T> ReadClasses(HostReader& host, const std::string& path, const std::string& driver,
                    absl::StatusOr<T> (*decode)(std::string_view)) {
  const Missing only_ofed{Missing::Kind::kUnsupported, "only some mlx5 of MLNX_OFED tell it (qos in sysfs)"};
  if (driver.empty()) return Missing{Missing::Kind::kFailed, "the netdev's driver is not known"};
  if (driver != "mlx5_core") return only_ofed;
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (text.status().code() == absl::StatusCode::kNotFound) return only_ofed;
  if (!text.ok()) return MissingFrom(text.status());
  const absl::StatusOr<T> value = decode(*text);
  if (!value.ok()) return MissingFrom(value.status());
  return *value;
}

}  // namespace

absl::StatusOr<AppSelector> DecodeNicTrust(std::string_view text) {
  const std::string word = TrimRight(text);
  if (word == "dscp") return AppSelector::kDscp;
  if (word == "pcp") return AppSelector::kPcp;
  return Malformed("trust", "\"" + SafeLine(word, kShownClassBytes) + "\"");
}

absl::StatusOr<DscpMap> DecodeNicDscpMap(std::string_view text) {
  DscpMap map{};
  std::bitset<map.size()> seen;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() != 2) continue;
    const auto dscp = ParseNumber<std::uint8_t>(words[0]);
    const auto priority = ParseNumber<std::uint8_t>(words[1]);
    if (!dscp && !priority) continue;  // the head
    if (!dscp || !priority || *dscp >= map.size() || *priority >= kPriorities || seen[*dscp])
      return Malformed("map of DSCPs", "\"" + SafeLine(line, kShownClassBytes) + "\"");
    map[*dscp] = *priority;
    seen.set(*dscp);
  }
  if (!seen.all())
    return Malformed("map of DSCPs", fmt::format("only {} of {} DSCPs", seen.count(), map.size()));
  return map;
}

Fact<AppSelector> ReadNicTrust(HostReader& host, const std::string& sysfs, const std::string& driver) {
  return ReadClasses(host, sysfs + "/qos/trust", driver, DecodeNicTrust);
}

Fact<DscpMap> ReadNicDscpMap(HostReader& host, const std::string& sysfs, const std::string& driver) {
  return ReadClasses(host, sysfs + "/qos/dscp2prio", driver, DecodeNicDscpMap);
}

}  // namespace rdmaready
