// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/gaps.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLifespan = "lifespan";

// The numbers in a directory. `absent` is what it means that it is not there, `none` that no file has one.
Fact<std::vector<Counter>> ReadDirectory(HostReader& host, const std::string& path, const char* absent,
                                         const char* none) {
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(path);
  if (!names.ok()) {
    if (names.status().code() != absl::StatusCode::kNotFound) return MissingFrom(names.status());
    return Missing{Missing::Kind::kUnsupported, absent};
  }
  std::vector<Counter> counters;
  absl::Status unreadable;
  for (const std::string& name : *names) {
    const absl::StatusOr<std::string> text = host.ReadFile(path + "/" + name);
    // A list without one would say that the driver has none such; and the others wait for the same device.
    if (IsGap(text.status())) return MissingFrom(text.status());
    unreadable.Update(text.status());
    const std::optional<std::uint64_t> value = text.ok() ? DecodeCounter(*text) : std::nullopt;
    if (value) counters.push_back({name, *value});
  }
  if (!counters.empty()) return counters;
  if (!unreadable.ok()) return MissingFrom(unreadable);
  return Missing{Missing::Kind::kUnsupported, none};
}

HwCounters ReadHwDirectory(HostReader& host, const std::string& path) {
  constexpr const char* kNone = "the driver has no hardware counters";
  Fact<std::vector<Counter>> all = ReadDirectory(host, path, kNone, kNone);
  if (!all) return {all.missing(), all.missing()};
  HwCounters result{.lifespan_ms = Missing{Missing::Kind::kUnsupported, "the kernel does not tell"}};
  std::vector<Counter> counters;
  for (const Counter& counter : *all) {
    if (counter.name != kLifespan) {
      counters.push_back(counter);
    } else {
      result.lifespan_ms = static_cast<std::uint32_t>(std::min<std::uint64_t>(counter.value, UINT32_MAX));
    }
  }
  if (counters.empty()) return {Missing{Missing::Kind::kUnsupported, kNone}, result.lifespan_ms};
  result.counters = std::move(counters);
  return result;
}

}  // namespace

std::optional<std::uint64_t> DecodeCounter(std::string_view text) {
  return ParseNumber<std::uint64_t>(TrimRight(text));
}

Fact<std::vector<Counter>> ReadPortCounters(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  return ReadDirectory(host, SysfsPath(device, fmt::format("ports/{}/counters", port)),
                       "the driver has no port counters (InfiniBand PMA)", "N/A (no PMA)");
}

HwCounters ReadHwCounters(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  HwCounters own = ReadHwDirectory(host, SysfsPath(device, fmt::format("ports/{}/hw_counters", port)));
  HwCounters shared = ReadHwDirectory(host, SysfsPath(device, "hw_counters"));
  if (!shared.counters) return own;
  if (!own.counters) {
    // Only "there is none" gives way to the device's; a failure to read must show.
    return own.counters.missing().kind == Missing::Kind::kUnsupported ? shared : own;
  }
  std::vector<Counter> counters = *own.counters;
  for (const Counter& counter : *shared.counters) {
    if (std::ranges::find(*own.counters, counter.name, &Counter::name) == own.counters->end()) {
      counters.push_back(counter);
    }
  }
  own.counters = std::move(counters);
  if (shared.lifespan_ms && (!own.lifespan_ms || *own.lifespan_ms < *shared.lifespan_ms)) {
    own.lifespan_ms = shared.lifespan_ms;
  }
  return own;
}

std::vector<Counter> ReadCmRetries(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  const std::string directory = "cm_tx_retries";
  const Fact<std::vector<Counter>> read = ReadDirectory(
      host, SysfsPath(device, fmt::format("ports/{}/{}", port, directory)), "no ib_cm", "no counters");
  if (!read) return {};
  std::vector<Counter> counters = *read;
  for (Counter& counter : counters) counter.name.insert(0, directory + "/");
  return counters;
}

}  // namespace rdmaready
