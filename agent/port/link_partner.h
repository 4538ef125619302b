// SPDX-License-Identifier: Apache-2.0
// LinkPartner: what LLDP says is at the other end of an Ethernet port's cable. HeardNeighbours: what was heard
// when somebody last listened, for who has no time to listen.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/base/clock.h"
#include "api/model/facts.h"

namespace rdmaready {

struct LinkPartner {
  enum class Kind {
    kUnknown,  // nothing was heard, or a neighbour that does not say what it is
    kStation,  // one neighbour, which is neither bridge nor router
    kOther,    // a bridge, a router, or several neighbours
  };
  Kind kind = Kind::kUnknown;
  std::string text{};  // "chassis 02:00:00:00:00:01 port Ethernet1/1 is a bridge or a router"; empty: kUnknown
};

// An agent that several of `peers` are of counts once. A neighbour is a station where it says so in the group
// of the nearest bridge, which no bridge forwards (IEEE 802.1Q table 8-1), or where the group is not known.
// Pure.
LinkPartner PartnerBy(const std::vector<LldpNeighbour>& peers);

// Threads: any.
class HeardNeighbours {
 public:
  static constexpr std::size_t kMostNeighbours = 16;  // of one port; those that come first

  // Keeps the neighbours that were heard on the Ethernet ports of `facts`, since `begun`. One that is heard
  // again is replaced.
  void Remember(const Facts& facts, Clock::TimePoint begun);

  // Those of this port whose time to live is not over, with those that lldpad of this host keeps. Nothing from
  // before its carrier changed.
  std::vector<LldpNeighbour> Of(const Netdev& netdev, Clock::TimePoint now);

 private:
  struct Heard {
    LldpNeighbour neighbour{};
    Clock::TimePoint until{};
    std::optional<std::uint64_t> carrier_changes{};  // nothing: the kernel does not count them
  };

  std::mutex mutex_;                                   // guards what follows
  std::map<std::string, std::vector<Heard>> heard_{};  // by netdev; those of the last Remember
};

}  // namespace rdmaready
