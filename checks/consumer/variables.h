// SPDX-License-Identifier: Apache-2.0
// The variables of each consumer, of the ports that are ready for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "checks/consumer/consumer.h"
#include "checks/consumer/environment.h"

namespace rdmaready {

struct ReadyPort {
  const Port* port = nullptr;
  const Profile* profile = nullptr;
  std::vector<Gid> gids{};  // UsableGids of a RoCE port, where the consumer names GIDs; else empty
};

// Adds to `environment` its variables and its notes, or, where one value would have to serve ports that need
// different ones, the state kUndetermined with its reason. `ports` is not empty.
void AddVariables(const Facts& host, Consumer consumer, const std::vector<ReadyPort>& ports,
                  Environment& environment);

// The ToS by which the profiles of RoCE ports mark RDMA. Nothing where no profile names one.
struct CommonTos {
  std::optional<std::uint8_t> tos{};
  std::string conflict{};  // two ports have different ones: "106 on mlx5_0/1, 104 on mlx5_2/1"
};
CommonTos TosOf(const std::vector<ReadyPort>& ports);

// Why nothing is printed of a host where `what` ("interface a$(id)") is so named.
std::string StrangeNameText(std::string_view what);

}  // namespace rdmaready
