// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/temperatures.h"

#include <optional>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBegin = "temp";
constexpr std::string_view kEnd = "_input";

std::optional<std::int32_t> Number(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (!text.ok()) return std::nullopt;
  return ParseNumber<std::int32_t>(TrimRight(*text));
}

void ReadSensors(HostReader& host, const std::string& folder, std::vector<Temperature>& temperatures) {
  const absl::StatusOr<std::vector<std::string>> files = host.ListDirectory(folder);
  if (!files.ok()) return;
  for (const std::string& file : *files) {
    if (!file.starts_with(kBegin) || !file.ends_with(kEnd)) continue;
    const std::string sensor = folder + "/" + file.substr(0, file.size() - kEnd.size());
    const std::optional<std::int32_t> now = Number(host, sensor + "_input");
    if (!now) continue;  // no module in the cage: the driver answers with an error
    const absl::StatusOr<std::string> label = host.ReadFile(sensor + "_label");
    temperatures.push_back({.label = label.ok() ? TrimRight(*label) : "",
                            .now_mc = *now,
                            .warn_mc = Number(host, sensor + "_max"),
                            .critical_mc = Number(host, sensor + "_crit")});
  }
}

}  // namespace

Fact<std::vector<Temperature>> ReadTemperatures(HostReader& host, const std::string& sysfs) {
  const std::string folder = sysfs + "/device/hwmon";
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  std::vector<Temperature> temperatures;
  if (names.ok()) {
    for (const std::string& name : *names) ReadSensors(host, folder + "/" + name, temperatures);
  } else if (names.status().code() != absl::StatusCode::kNotFound) {
    return MissingFrom(names.status());
  }
  if (temperatures.empty()) return Missing{Missing::Kind::kUnsupported, "the driver has no temperature sensor"};
  return temperatures;
}

}  // namespace rdmaready
