// SPDX-License-Identifier: Apache-2.0
// IserInitiator, IserAnswers: the name that this host gave to an iSCSI target, and what the target answered
// over iSER. The contract is that of api/model/probe_rdma.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rdmaready {

struct IserInitiator {
  std::optional<std::string> name{};
  std::optional<std::string> name_from{};  // the file it stands in

  bool operator==(const IserInitiator&) const = default;

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("iser_initiator", self.name);
    visit("iser_initiator_from", self.name_from);
  }
};

// An answer to SendTargets.
struct IserTarget {
  std::optional<std::string> name{};
  std::vector<std::string> portals{};  // "10.0.0.2:3260,1"

  bool operator==(const IserTarget&) const = default;

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("portals", self.portals);
  }
};

struct IserAnswers {
  std::optional<std::string> discovery_authentication{};  // the method that the target demands: "CHAP"
  std::optional<bool> zero_based_addresses{};
  std::optional<bool> remote_invalidation{};
  // What a login agreed on, as the target wrote it.
  std::optional<std::string> rdma_extensions{};
  std::optional<std::string> initiator_receive{};
  std::optional<std::string> target_receive{};
  std::optional<std::string> max_burst{};
  std::optional<std::string> first_burst{};
  std::optional<std::string> portal_group{};
  // SendTargets.
  std::optional<std::uint64_t> targets{};
  std::vector<IserTarget> listed{};  // the first of them
  // The proof.
  std::optional<std::string> proof_target{};
  std::optional<std::string> authentication{};
  std::optional<std::uint64_t> units{};
  std::optional<std::string> unit_vendor{};
  std::optional<std::string> unit_product{};
  std::optional<std::uint64_t> unit_blocks{};
  std::optional<std::uint64_t> unit_block{};

  bool operator==(const IserAnswers&) const = default;

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("iser_discovery_authentication", self.discovery_authentication);
    visit("iser_zero_based_addresses", self.zero_based_addresses);
    visit("iser_remote_invalidation", self.remote_invalidation);
    visit("iser_rdma_extensions", self.rdma_extensions);
    visit("iser_initiator_receive", self.initiator_receive);
    visit("iser_target_receive", self.target_receive);
    visit("iser_max_burst", self.max_burst);
    visit("iser_first_burst", self.first_burst);
    visit("iser_portal_group", self.portal_group);
    visit("iser_targets", self.targets);
    visit("iser_target", self.listed);
    visit("iser_proof_target", self.proof_target);
    visit("iser_authentication", self.authentication);
    visit("iser_units", self.units);
    visit("iser_unit_vendor", self.unit_vendor);
    visit("iser_unit_product", self.unit_product);
    visit("iser_unit_blocks", self.unit_blocks);
    visit("iser_unit_block", self.unit_block);
  }
};

}  // namespace rdmaready
