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
  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("tcp", self.tcp);
    visit("nvme_host", self.nvme_host);
    visit("iser_initiator", self.iser_initiator);
    visit("rdma", self.rdma);
    visit("smb", self.smb);
    visit("share", self.share);
    visit("nvme", self.nvme);
    visit("iser", self.iser);
    visit("nfs", self.nfs);
    visit("time_up", self.time_up);
  }
};

// A struct that lists its fields.
template <class T>
concept ListsFields = requires(T& value, void (*visit)(...)) {
  T::Fields(value, visit);
};

}  // namespace rdmaready
