// SPDX-License-Identifier: Apache-2.0
// A check is data and one pure function over a view of the facts. Adding one touches its family and its test.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/blocking.h"

namespace rdmaready {

// What one verdict is about, and all it may look at.
struct HostView {
  const Facts& host;
  const Profile& profile;
};
struct PortView {
  const Facts& host;
  const Port& port;
  const Profile& profile;
};
struct EthernetView {  // one of the Ethernet ports that an RDMA port stands on: see checks/words/ethernet.h
  const Facts& host;
  const Port& port;
  const Fact<Netdev>& netdev;
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

template <class View>
struct Rule {
  // Why the check makes no sense here ("profile x does not ask for a DSCP"); empty when it does.
  std::string (*not_applicable)(const View&) = nullptr;
  Verdict (*judge)(const View&) = nullptr;
};

// What a port is beside the others of its host. All are judged at once, since each against all others takes the
// square of the time.
struct AmongPorts {
  std::string (*not_applicable)(const PortView&) = nullptr;
  // One verdict for each port of the host, in their order; none where the ports are not known.
  std::vector<Verdict> (*judge)(const HostView&) = nullptr;
};

// What the ports of several hosts have in common, when all is well: see checks/fleet/agreement.h.
struct Agreement {
  // Among which ports a difference matters.
  enum class Among {
    kOneSubnet,  // those that talk to each other
    kOneBoard,   // those of one model
  };
  std::string (*not_applicable)(const PortView&) = nullptr;
  // What the port has, in words that are equal exactly when two ports agree.
  Fact<std::string> (*value)(const PortView&) = nullptr;
  std::string_view source{};
  Among among = Among::kOneSubnet;
};

// The fix is one shell command line that root can type as it stands; prose follows in a trailing # comment, and
// a capital word (ADDRESS) stands for what only the administrator knows. Two `dcb` commands are joined by ; and
// not by &&: the exit status of iproute2 6.1's says nothing. The fix may hold the placeholders of
// checks/placeholders.h, {netdev} for instance; the judge fills them from the view.
struct Check {
  std::string_view id;                         // "pfc.lossless-priority": for ever, never reused
  std::string_view title;                      // the requirement, said positively
  std::string_view why;                        // what breaks without it
  std::string_view fix;                        // what a person would type next
  const Demand* blocks_for = nullptr;          // when it keeps a host from being ready; null: never
  std::vector<std::string_view> depends_on{};  // earlier checks that may hide this one: see checks/hiding.h
  std::variant<Rule<HostView>, Rule<PortView>, Rule<EthernetView>, Rule<PairView>, AmongPorts, Agreement>
      rule{};
};

// Every check, in the order of the report. Ids are unique; a dependency stands before those that depend on it.
const std::vector<Check>& AllChecks();

// Null when there is none of that id. Live tests have ids of their own: FindTransferCheck in
// checks/live/transfer.h.
const Check* FindCheck(std::string_view id);

// What the check's verdict is about. An Ethernet port is part of its RDMA port: kPort.
Scope ScopeOf(const Check& check);

// The heading under which a person looks for the id: "device", "net", "roce", "dcb", "chain", "host",
// "storage", "agreement", "pair", "loopback", "peer", "smb-direct", "server", "share".
std::string_view GroupOf(std::string_view id);

// What stands before the dot: "pfc".
std::string_view FamilyOf(std::string_view id);

}  // namespace rdmaready
