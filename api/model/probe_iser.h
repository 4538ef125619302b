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

  void Fields(auto& list) const { list("iser_initiator", name, "iser_initiator_from", name_from); }
};

// An answer to SendTargets.
struct IserTarget {
  std::optional<std::string> name{};
  std::vector<std::string> portals{};  // "10.0.0.2:3260,1"

  bool operator==(const IserTarget&) const = default;

  void Fields(auto& list) const { list("name", name, "portals", portals); }
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

  void Fields(auto& list) const {
    list("iser_discovery_authentication", discovery_authentication, "iser_zero_based_addresses",
         zero_based_addresses, "iser_remote_invalidation", remote_invalidation, "iser_rdma_extensions",
         rdma_extensions, "iser_initiator_receive", initiator_receive, "iser_target_receive", target_receive,
         "iser_max_burst", max_burst, "iser_first_burst", first_burst, "iser_portal_group", portal_group,
         "iser_targets", targets, "iser_target", listed, "iser_proof_target", proof_target,
         "iser_authentication", authentication, "iser_units", units, "iser_unit_vendor", unit_vendor,
         "iser_unit_product", unit_product, "iser_unit_blocks", unit_blocks, "iser_unit_block", unit_block);
  }
};

}  // namespace rdmaready
