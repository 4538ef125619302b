// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/ethtool.h"

#include <fmt/format.h>
#include <linux/ethtool.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "api/base/status.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

static_assert(sizeof(ethtool_drvinfo) == 196 && sizeof(ethtool_pauseparam) == 16 &&
              sizeof(ethtool_tunable) == 16);

// struct ethtool_tunable and the value that follows it, which C++ cannot declare as the header does.
constexpr std::size_t kTimeoutBytes = sizeof(std::uint16_t);
constexpr std::size_t kTunableBytes = sizeof(ethtool_tunable) + kTimeoutBytes;

template <class T>
std::vector<std::byte> BytesOf(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

absl::Status CheckAnswer(std::span<const std::byte> answer, std::uint32_t command, std::size_t bytes,
                         std::string_view what) {
  if (answer.size() != bytes) {
    return Malformed(what, fmt::format("{} bytes, not {}", answer.size(), bytes));
  }
  std::uint32_t answered = 0;
  std::memcpy(&answered, answer.data(), sizeof answered);
  if (answered != command) return Malformed(what, fmt::format("the answer is to command {}", answered));
  return absl::OkStatus();
}

template <std::size_t kBytes>
std::string TextOf(const char (&field)[kBytes]) {
  return {&field[0], std::find(&field[0], &field[kBytes], '\0')};
}

template <class T>
Fact<T> FactFrom(const absl::StatusOr<T>& value) {
  if (!value.ok()) return MissingFrom(value.status());
  return *value;
}

// A driver without the function gives EOPNOTSUPP; the reason then says which.
Missing Why(const absl::Status& status, std::string_view unsupported) {
  Missing why = MissingFrom(status);
  if (why.kind == Missing::Kind::kUnsupported) why.detail = unsupported;
  return why;
}

}  // namespace

absl::StatusOr<DriverInfo> DecodeDriverInfo(std::span<const std::byte> answer) {
  RR_RETURN_IF_ERROR(CheckAnswer(answer, ETHTOOL_GDRVINFO, sizeof(ethtool_drvinfo), "driver information"));
  ethtool_drvinfo raw{};
  std::memcpy(&raw, answer.data(), sizeof raw);
  return DriverInfo{.driver = TextOf(raw.driver),
                    .version = TextOf(raw.version),
                    .firmware = TextOf(raw.fw_version),
                    .bus = TextOf(raw.bus_info)};
}

absl::StatusOr<Pause> DecodePause(std::span<const std::byte> answer) {
  RR_RETURN_IF_ERROR(CheckAnswer(answer, ETHTOOL_GPAUSEPARAM, sizeof(ethtool_pauseparam), "pause parameters"));
  ethtool_pauseparam raw{};
  std::memcpy(&raw, answer.data(), sizeof raw);
  return Pause{.autoneg = raw.autoneg != 0, .rx = raw.rx_pause != 0, .tx = raw.tx_pause != 0};
}

absl::StatusOr<std::uint16_t> DecodePfcStormTimeout(std::span<const std::byte> answer) {
  RR_RETURN_IF_ERROR(CheckAnswer(answer, ETHTOOL_GTUNABLE, kTunableBytes, "PFC storm timeout"));
  ethtool_tunable raw{};
  std::memcpy(&raw, answer.data(), sizeof raw);
  if (raw.id != ETHTOOL_PFC_PREVENTION_TOUT || raw.type_id != ETHTOOL_TUNABLE_U16 || raw.len != kTimeoutBytes) {
    return Malformed("PFC storm timeout", "the answer is about another tunable");
  }
  std::uint16_t timeout_ms = 0;
  std::memcpy(&timeout_ms, answer.data() + sizeof raw, sizeof timeout_ms);
  return timeout_ms;
}

Fact<DriverInfo> ReadDriverInfo(HostReader& host, const std::string& name) {
  ethtool_drvinfo request{};
  request.cmd = ETHTOOL_GDRVINFO;
  const auto answer = host.Ethtool(name, BytesOf(request));
  if (!answer.ok()) return Why(answer.status(), "driver reports nothing of itself (get_drvinfo)");
  return FactFrom(DecodeDriverInfo(*answer));
}

Fact<Pause> ReadPause(HostReader& host, const std::string& name) {
  ethtool_pauseparam request{};
  request.cmd = ETHTOOL_GPAUSEPARAM;
  const auto answer = host.Ethtool(name, BytesOf(request));
  if (!answer.ok()) return Why(answer.status(), "driver reports no pause parameters (get_pauseparam)");
  return FactFrom(DecodePause(*answer));
}

Fact<std::uint16_t> ReadPfcStormTimeout(HostReader& host, const std::string& name) {
  ethtool_tunable request{};
  request.cmd = ETHTOOL_GTUNABLE;
  request.id = ETHTOOL_PFC_PREVENTION_TOUT;
  request.type_id = ETHTOOL_TUNABLE_U16;
  request.len = kTimeoutBytes;
  std::vector<std::byte> bytes = BytesOf(request);
  bytes.resize(kTunableBytes);
  const auto answer = host.Ethtool(name, bytes);
  if (answer.ok()) return FactFrom(DecodePfcStormTimeout(*answer));
  constexpr const char* kNone = "driver has no PFC storm prevention (ETHTOOL_PFC_PREVENTION_TOUT)";
  // EINVAL is how a driver that has other tunables refuses this one.
  if (answer.status().code() == absl::StatusCode::kInvalidArgument) {
    return Missing{Missing::Kind::kUnsupported, kNone};
  }
  return Why(answer.status(), kNone);
}

}  // namespace rdmaready
