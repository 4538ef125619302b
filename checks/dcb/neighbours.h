// SPDX-License-Identifier: Apache-2.0
// What is known of the LLDP agents on an Ethernet port's link, by whatever way it became known: listening
// (check --watch, facts --lldp), this host's lldpad, DCBX of the NIC's firmware.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/check.h"

namespace rdmaready {

// LLDP agents announce themselves every 30 s: a shorter watch may have missed one.
inline constexpr std::uint32_t kAnnouncedWithinMs = 32'000;

struct LinkAgents {
  std::vector<LldpNeighbour> peers{};  // at the other end
  std::vector<LldpNeighbour> own{};    // of this host
  bool by_lldpad = false;              // which keeps no more than one of each end
  std::uint32_t listened_ms = 0;       // lldpad listens ever since it was started

  // Every neighbour that is there has been heard.
  bool Complete() const { return listened_ms >= kAnnouncedWithinMs; }
  bool operator==(const LinkAgents&) const = default;
};

// What was heard, and what lldpad has where nothing was. Missing, kNotCollected: nobody listened.
Fact<LinkAgents> AgentsOn(NetdevRef netdev);

// It follows what its neighbour proposes, in either dialect.
bool IsWillingAgent(const LldpNeighbour& agent);

// Why what the other end announces is not judged on this port: InfiniBand, or nobody listened.
std::string NotListened(const EthernetView& view);

// "sw1 port Ethernet1/1", safe to print.
std::string AgentText(const LldpNeighbour& agent);

// "LLDP heard in 35 s", "LLDP as lldpad has it".
std::string ListenedText(const LinkAgents& agents);

// What the other end does, of whatever dialect.
struct PeerPfc {
  std::string who{};
  std::string source{};
  std::uint8_t enabled = 0;  // bitmap by priority
};
struct PeerEts {
  std::string who{};
  std::string source{};
  std::array<std::uint8_t, kPriorities> prio_class{};
  std::array<std::uint8_t, kPriorities> percent{};  // by class
  std::array<Tsa, kPriorities> tsa{};               // by class
};
struct PeerApp {
  std::string who{};
  std::string source{};
  std::vector<AppEntry> rows{};
};

// An empty optional: it does not say. Missing: not known, as of AgentsOn.
Fact<std::optional<PeerPfc>> PfcOfPeer(NetdevRef netdev);
Fact<std::optional<PeerEts>> EtsOfPeer(NetdevRef netdev);
Fact<std::optional<PeerApp>> AppOfPeer(NetdevRef netdev);

// Why there is nothing to compare with: NotListened, "the other end announces no PFC"; empty when there is, or
// when the answer is unknown.
template <class T>
std::string NotAnnounced(const EthernetView& view, const Fact<std::optional<T>>& announced,
                         std::string_view what) {
  if (announced ? announced->has_value() : announced.missing().kind == Missing::Kind::kFailed) return {};
  if (std::string reason = NotListened(view); !reason.empty()) return reason;
  return announced ? "the other end announces no " + std::string(what) : "";
}

}  // namespace rdmaready
