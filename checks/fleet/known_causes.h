// SPDX-License-Identifier: Apache-2.0
// Known causes: why two ports cannot talk to each other, by what is known of both hosts. A live test that fails
// shows that; a known cause says what to repair, and where. Pure.
//
// With two hosts nobody can vote. A host whose own finding fails or warns is the one. Where neither is wrong by
// itself, the cause is between the two, and names what both have. An unknown fact is never a cause.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

// The nearest to the wire first.
enum class CauseKind {
  kLink,      // cable, port, adapter
  kVlan,      // one is on another VLAN, or untagged
  kAddress,   // one address twice
  kSubnet,    // no subnet in common, or prefixes of two lengths
  kRoute,     // the kernel sends by another interface, or nowhere
  kFirewall,  // a packet filter drops what connects
  kMtu,       // of the interface, a VLAN or RDMA
  kGid,       // no type of GID in common
  kMark,      // DSCP, ToS, PCP
  kPfc,
  kMemory,  // the agent may lock too little of it
};

// One end of what is tested.
struct CauseEnd {
  std::string_view host{};  // as the caller names it
  const Facts* facts = nullptr;
  const Port* port = nullptr;
  std::span<const Finding> findings{};  // of its host, also those of the comparison with others
  std::string_view address{};           // by which it is tested; empty: none was found
};

struct KnownCause {
  CauseKind kind = CauseKind::kLink;
  std::string host{};  // whose finding it is; empty: it is between the two hosts
  // Fails and blocks. Says what is seen, wanted, where it was read, and the repair, with the host that types it
  // where that is not the finding's own. Its scope is kPair where it is between the two.
  Finding finding{};
  bool was_blocking = false;  // it kept a host from being ready before any test, or is known to drop packets
};

// Those that were blocking before the others; then in the order of CauseKind, of the first end first.
// `between`: what is said of the two hosts together, by JudgeAgreement and JudgePair.
std::vector<KnownCause> KnownCauses(const CauseEnd& from, const CauseEnd& to, std::span<const Finding> between,
                                    const Profile& profile);

// The kernel of `from` has no way to the address of `to`, as the failure of a connection says: a blackhole, or
// another interface. Nothing where the failure is another one.
std::optional<KnownCause> RouteCause(const Failure& failure, const CauseEnd& from, const CauseEnd& to,
                                     const Profile& profile);

// The kernel of `to` rejected a connection of RoCE: it does so where its route back leads elsewhere, or nowhere
// (validate_ipv4_net_dev in drivers/infiniband/core/cma.c), and its own connections pass all the same. Nothing
// where the failure is another one, or a router is between the two.
std::optional<KnownCause> NoWayBack(const Failure& failure, const CauseEnd& from, const CauseEnd& to,
                                    const Profile& profile);

// Whether a live test could fail in this way because of it.
bool Explains(CauseKind kind, const Failure& failure);

}  // namespace rdmaready
