// SPDX-License-Identifier: Apache-2.0
// FleetAgreement: what the hosts of each group have in common, and which are odd. Every host that is judged
// puts in its paper; now and then all papers are counted, and hosts that are odd, or no longer, are judged
// again. What is kept in memory is a paper of some 400 bytes for each host, each word of them once, and the
// findings of odd ones.
//
// Threads: any thread may call; Count is for one at a time. Put and OddOf wait for no counting.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/model/fleet.h"
#include "api/model/report.h"
#include "checks/fleet/votes.h"
#include "hub/judge/ballots.h"
#include "hub/judge/paper.h"

namespace rdmaready::hub {

// What one host votes under one of its profiles.
struct ProfileVotes {
  std::string profile{};
  std::vector<VotingPort> ports{};
};

// Whether a check is one of those that are judged here, not on the host.
bool IsOfFleet(std::string_view check);

// A word that a host says, at most 512 octets of it; two long ones that are not equal stay that.
std::string BoundedWord(const std::string& word);

class FleetAgreement {
 public:
  // Findings that are kept of hosts, from the time before the hub was started: they hold until all are counted.
  void Restore(const FleetFinding& finding);

  // The newest votes of a host. `unless_there`: only where it has none yet.
  void Put(const std::string& host_id, std::span<const ProfileVotes> votes, bool unless_there = false);
  bool Has(const std::string& host_id) const;

  // Whether a paper became another since the last count.
  bool Changed() const;

  // Counts the papers of these hosts, which are all there are; ids of those that have other findings now. Who
  // is silent, in maintenance, in no inventory or not judged has no part, and keeps what it has. What is odd is
  // told when two counts in a row say so: hosts that come one after the other are no odd ones.
  std::vector<std::string> Count(std::span<const FleetHost> hosts, std::int64_t now_unix_ns);

  // Findings for the host to be judged with: what differs from most of its group (a warning) or is not known
  // while the others have it. The fix may hold placeholders.
  std::vector<Finding> OddOf(const std::string& host_id) const;

  // Hosts that have any, by id.
  std::vector<std::string> OddHosts() const;

  // Of the last count; by group, profile and check. `complete`: it was of all hosts.
  struct Usual {
    std::vector<UsualValue> values{};
    bool complete = false;
  };
  std::shared_ptr<const Usual> Last() const;

 private:
  // A finding, and what makes it another one: its texts say how many hosts agree, which changes all the time.
  struct Odd {
    Finding finding{};
    std::string value{};
    std::string usual{};
  };
  using OddOnesOfHost = std::vector<Odd>;
  struct Frame;  // of one count

  Paper PaperOf(std::span<const ProfileVotes> votes);
  void Shrink();
  // With the mutex held.
  Frame FrameOf(std::span<const FleetHost> hosts) const;
  std::map<std::string, OddOnesOfHost> NewOdd(const Frame& frame, const Counted& counted);
  Odd OddFinding(const Frame& frame, const OddPort& port, const Ballot& ballot) const;
  std::shared_ptr<const Usual> UsualOf(const Frame& frame, const Counted& counted) const;

  mutable std::mutex mutex_;  // guards what follows
  WordPool words_{};
  std::size_t words_kept_ = 0;  // when they were last gone through
  std::unordered_map<std::string, std::shared_ptr<const Paper>> papers_{};
  std::map<std::string, OddOnesOfHost> odd_{};
  std::set<std::string> suspects_{};  // what the last count said of each that was not told yet
  bool changed_ = false;
  std::shared_ptr<const Usual> last_ = std::make_shared<const Usual>();
};

}  // namespace rdmaready::hub
