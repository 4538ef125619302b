// SPDX-License-Identifier: Apache-2.0
// The root queueing disciplines of all netdevs: rtnetlink GETQDISC, asked once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct Qdisc {
  std::uint32_t ifindex = 0;
  bool root = false;
  std::string kind{};     // "mqprio", "mq"
  Fact<Mqprio> mqprio{};  // of mqprio; kUnsupported for another kind

  bool operator==(const Qdisc&) const = default;
};

// One message: struct tcmsg first. Classes of a map that does not fit its own number of classes are an error.
absl::StatusOr<Qdisc> DecodeQdisc(std::span<const std::byte> payload);

using RootQdiscs = std::map<std::uint32_t, Qdisc>;  // by ifindex
Fact<RootQdiscs> ReadRootQdiscs(HostReader& host);

// kUnsupported, naming it, when another discipline is in place, or none.
Fact<Mqprio> MqprioOf(const Fact<RootQdiscs>& qdiscs, std::uint32_t ifindex);

}  // namespace rdmaready
