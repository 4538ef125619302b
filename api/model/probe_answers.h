// SPDX-License-Identifier: Apache-2.0
// ProbeAnswers: what a storage server answered in a probe, and what this host found out on the way to it.
//
// One struct for each source. What is absent was not told: it was not asked, the walk ended before it, or the
// server speaks another protocol.
#pragma once

#include <optional>
#include <string>

#include "api/model/probe_iser.h"
#include "api/model/probe_nfs.h"
#include "api/model/probe_nvme.h"
#include "api/model/probe_rdma.h"
#include "api/model/probe_share.h"
#include "api/model/probe_smb.h"

namespace rdmaready {

struct ProbeAnswers {
  SmbTcpAnswers tcp{};
  NvmeHost nvme_host{};
  IserInitiator iser_initiator{};
  RdmaAnswers rdma{};
  SmbAnswers smb{};
  ShareAnswers share{};
  NvmeAnswers nvme{};
  IserAnswers iser{};
  NfsAnswers nfs{};
  std::optional<std::string> time_up{};  // the first step that the deadline cut short or prevented

  bool operator==(const ProbeAnswers&) const = default;

  // In the order of the walks.
  void Fields(auto& list) const {
    list("tcp", tcp, "nvme_host", nvme_host, "iser_initiator", iser_initiator, "rdma", rdma, "smb", smb,
         "share", share, "nvme", nvme, "iser", iser, "nfs", nfs, "time_up", time_up);
  }
};

// A struct that lists its fields.
template <class T>
concept ListsFields = requires(const T& value, void (*list)(...)) {
  value.Fields(list);
};

}  // namespace rdmaready
