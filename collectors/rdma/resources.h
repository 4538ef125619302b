// SPDX-License-Identifier: Apache-2.0
// What is in use on RDMA devices, and who may see them: RDMA netlink's RES_GET and SYS_GET.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

// RDMA_NLDEV_ATTR_RES_SUMMARY. Kinds that we do not know are skipped; an error when one of pd, cq, qp, mr and
// cm_id is not told. `ctx` is 0 before kernel 5.0, which does not tell it.
absl::StatusOr<RdmaResources> DecodeResources(std::span<const std::byte> payload, const RdmaDevice& device);
Fact<RdmaResources> ReadResources(HostReader& host, const RdmaDevice& device);

// RDMA_NLDEV_SYS_ATTR_NETNS_MODE. Only to be asked when /sys/class/infiniband exists.
absl::StatusOr<bool> DecodeNetnsShared(std::span<const std::byte> payload);
Fact<bool> ReadNetnsShared(HostReader& host);

// Whether everybody may use controlled Q_Keys, without CAP_NET_RAW: `rdma system set privileged-qkey`.
Fact<bool> ReadPrivilegedQkey(HostReader& host);

}  // namespace rdmaready
