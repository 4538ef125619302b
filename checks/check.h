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
struct PairView {  // two ports that will talk to each other, on two hosts
  const Facts& from;
  const Port& from_port;
  const Facts& to;
  const Port& to_port;
  const Profile& profile;
};

template <class View>
struct Rule {
  // Why the check makes no sense here ("profile does not ask for a DSCP"); empty when it does. May be null.
  std::string (*not_applicable)(const View&) = nullptr;
  Verdict (*judge)(const View&) = nullptr;
};

// Texts may hold the placeholders {device} {port} {netdev} {priority} {dscp} {tos} {mtu} and {pid}; the judge
// fills them from the view, so that a fix can be typed as it stands.
struct Check {
  std::string_view id;      // "pfc.lossless-priority": for ever, never reused
  std::string_view title;   // the requirement, said positively
  std::string_view why;     // what breaks without it
  std::string_view fix;     // what a person would type next
  bool blocking = false;    // fail or unknown keeps the host from being ready
  std::string_view depends_on{};  // hidden behind that check while it fails on the same subject
  std::variant<Rule<HostView>, Rule<PortView>, Rule<PairView>> rule{};
};

// Every check, in the order of the report. Ids are unique.
const std::vector<Check>& AllChecks();

// Null when there is none of that id.
const Check* FindCheck(std::string_view id);

}  // namespace rdmaready
