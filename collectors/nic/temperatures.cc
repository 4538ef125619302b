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

// How a driver says that there is no module in the cage: EIO, ENODATA, ENODEV, ENXIO or EINVAL. Whatever else
// happens, nobody looked.
bool IsDriversAnswer(const absl::Status& status) {
  return absl::IsUnknown(status) || absl::IsNotFound(status) || absl::IsInvalidArgument(status);
}

std::optional<std::int32_t> Number(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (!text.ok()) return std::nullopt;
  return ParseNumber<std::int32_t>(TrimRight(*text));
}

// Not OK for a sensor that could not be read for a reason that is not the driver's.
absl::Status ReadSensors(HostReader& host, const std::string& folder, std::vector<Temperature>& temperatures) {
  const absl::StatusOr<std::vector<std::string>> files = host.ListDirectory(folder);
  if (!files.ok()) return files.status();
  for (const std::string& file : *files) {
    if (!file.starts_with(kBegin) || !file.ends_with(kEnd)) continue;
    const std::string sensor = folder + "/" + file.substr(0, file.size() - kEnd.size());
    const absl::StatusOr<std::string> text = host.ReadFile(sensor + "_input");
    if (!text.ok() && IsDriversAnswer(text.status())) continue;
    if (!text.ok()) return text.status();
    const std::optional<std::int32_t> now = ParseNumber<std::int32_t>(TrimRight(*text));
    if (!now) return absl::InternalError("read " + sensor + "_input: not a number");
    const absl::StatusOr<std::string> label = host.ReadFile(sensor + "_label");
    temperatures.push_back({.label = label.ok() ? TrimRight(*label) : "",
                            .now_mc = *now,
                            .warn_mc = Number(host, sensor + "_max"),
                            .critical_mc = Number(host, sensor + "_crit")});
  }
  return absl::OkStatus();
}

}  // namespace

Fact<std::vector<Temperature>> ReadTemperatures(HostReader& host, const std::string& sysfs) {
  const std::string folder = sysfs + "/device/hwmon";
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  std::vector<Temperature> temperatures;
  if (names.ok()) {
    for (const std::string& name : *names) {
      const absl::Status status = ReadSensors(host, folder + "/" + name, temperatures);
      if (!status.ok()) return MissingFrom(status);
    }
  } else if (names.status().code() != absl::StatusCode::kNotFound) {
    return MissingFrom(names.status());
  }
  if (temperatures.empty()) return Missing{Missing::Kind::kUnsupported, "the driver has no temperature sensor"};
  return temperatures;
}

}  // namespace rdmaready
