// SPDX-License-Identifier: Apache-2.0
// A check is one row of a family's file: its texts, when it blocks, what it depends on, and one pure function
// that judges. README.md in this folder says how to add one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/blocking.h"
#include "checks/fact_ref.h"
#include "checks/words/verdict.h"

namespace rdmaready {

struct Compared;       // checks/fleet/agreement.h, as Voter is
struct PlacedAddress;  // checks/words/addresses.h
struct Voter;

// What one verdict is about, and all that it may look at.
struct HostView {
  const Facts& host;
  const Profile& profile;
  std::int64_t now_unix_ns = 0;  // when it is judged; 0: not known
};
struct PortView {
  const Facts& host;
  const Port& port;
  const Profile& profile;
};
struct EthernetView {  // one of the Ethernet ports that an RDMA port stands on: see checks/words/ethernet.h
  const Facts& host;
  const Port& port;
  NetdevRef netdev;
  const Profile& profile;
};
struct PairView {  // two ports that will talk to each other, on two hosts
  std::string_view from_name;
  const Facts& from;
  const Port& from_port;
  std::string_view to_name;
  const Facts& to;
  const Port& to_port;
  const Profile& profile;
};

// One question about a host, a port, an Ethernet port or a pair. It answers with a verdict of
// checks/words/verdicts.h: judged, warned, not known, or not applicable with the reason.
template <class View>
using Judge = Verdict (*)(const View&);

// What a port is beside the others of its host. All are judged at once, since each against all others takes the
// square of the time. One verdict for each port of the host, in their order; none where the ports are
// not known.
using JudgeAmongPorts = std::vector<Verdict> (*)(const HostView&);

// One end of a difference: a port, and the address by which the other end reaches it. Null: the address plays
// no part.
struct DifferingEnd {
  const Facts& host;
  const Port& port;
  const PlacedAddress* address = nullptr;
};

// What the ports of several hosts have in common, when all is well: see checks/fleet/agreement.h.
struct Agreement {
  // Among which ports a difference matters.
  enum class Among {
    kOneSubnet,   // those that talk to each other
    kOneBoard,    // those of one model
    kEachSubnet,  // those of one subnet, for each address of a port: two subnets are never compared
  };
  // What the port has, in words that are equal exactly when two ports agree. Missing::kUnsupported: the
  // question does not apply to the port, and the detail says why.
  Fact<std::string> (*value)(const PortView&) = nullptr;
  std::string_view source{};
  Among among = Among::kOneSubnet;
  // Another model may well have another: in a fleet, where several models are usual, ports of one are compared.
  bool of_model = false;
  // For kEachSubnet: the value that the port has by that address.
  Fact<std::string> (*value_at)(const PortView&, const PlacedAddress&) = nullptr;
  // Where one side has this value, the difference may be meant: a warning. Empty: no value is like that.
  std::string_view may_differ{};
  // The repair on the host of `odd` that gives it what `other` has. Empty: it would be a step back. Null: the
  // check's own fix.
  Fix (*align)(const DifferingEnd& odd, const DifferingEnd& other) = nullptr;
};

// Judges the ports of several hosts beside each other.
using JudgeAmongHosts = Compared (*)(std::span<const Voter>, const Profile&);

// A command of the fix is one shell line that root can type as it stands; a capital word (ADDRESS) stands for
// what only the administrator knows. Two `dcb` commands are joined by ; and not by &&: the exit status of
// iproute2 6.1's says nothing.
struct Check {
  std::string_view id;                         // "pfc.lossless-priority": for ever, never reused
  std::string_view title;                      // the requirement, said positively
  std::string_view why;                        // what breaks without it
  Fix fix;                                     // what a person does next
  std::string_view group{};                    // the heading of the report; empty: that of its family
  const Demand* blocks_for = nullptr;          // when it keeps a host from being ready; null: never
  std::vector<std::string_view> depends_on{};  // checks that may be the cause: see checks/hiding.h
  // Checks that are judged by the same answer of the host, with a repair of their own. They hide this one only
  // where it is unknown because they could not be read either.
  std::vector<std::string_view> read_with{};
  int in_summary = 0;        // its place in the one line that sums up its group when all is well; 0: none
  bool parts_hosts = false;  // of a pair: where it fails, the two hosts have no ports that could be tested
  // The type of the function's parameter says what the check is about.
  std::variant<Judge<HostView>, Judge<PortView>, Judge<EthernetView>, Judge<PairView>, JudgeAmongPorts,
               JudgeAmongHosts, Agreement>
      judge{};
};

// What the check's verdict is about. An Ethernet port is part of its RDMA port: kPort.
Scope ScopeOf(const Check& check);

}  // namespace rdmaready
