// SPDX-License-Identifier: Apache-2.0
// The part of FleetClient that gRPC generates. For the sources of FleetClient only: every other file is spared
// gRPC.
#pragma once

#include <memory>

#include "api/client/fleet_client.h"
#include "rdmaready/v1/enrolment.grpc.pb.h"
#include "rdmaready/v1/fleet.grpc.pb.h"

namespace rdmaready {

struct FleetClient::Wire {
  std::unique_ptr<v1::Fleet::Stub> fleet{};
  std::unique_ptr<v1::Access::Stub> access{};
};

}  // namespace rdmaready
