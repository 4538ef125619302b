// SPDX-License-Identifier: Apache-2.0
// Fleet: what a hub knows of many hosts, as it is kept, sent and shown. Times are Unix nanoseconds of the hub.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

// A host that is silent is that, and never its last verdict.
enum class HostCondition { kUnknown, kReady, kNotReady, kUndetermined, kSilent, kNeverReported, kRevoked = 40 };

struct FleetHost {
  std::string host_id{};
  std::string name{};
  std::string group{};
  std::string rack{};
  HostCondition condition = HostCondition::kUnknown;
  std::int64_t since_unix_ns = 0;  // since when it is in this condition; of a silent host: its last report
  Readiness last_verdict = Readiness::kUndetermined;
  std::int64_t seen_unix_ns = 0;     // last report; 0: none
  std::int64_t changed_unix_ns = 0;  // when its state last became another
  std::uint32_t failed = 0;
  std::uint32_t warned = 0;
  std::uint32_t unknown = 0;
  std::uint32_t passed = 0;
  std::uint32_t waived = 0;
  std::string first_check{};  // of what has to be heard the worst
  std::string first_observed{};
  std::vector<std::string> profiles{};
  std::string agent_version{};
  std::string kernel_release{};
  std::string boot_id{};
  std::int64_t clock_ahead_ns = 0;             // of the host's clock before the hub's
  std::int64_t maintenance_until_unix_ns = 0;  // 0: none
  std::string maintenance_reason{};
  std::uint32_t ports = 0;
  std::uint32_t unacknowledged = 0;  // findings that nobody acknowledged
  std::string digest{};              // of its state, 64 hexadecimal digits
  std::string trouble{};             // why its reports are not judged
  bool unlisted = false;             // it reports, and the hub's inventory does not name it
  std::int64_t revoked_unix_ns = 0;  // 0: it was not
  std::string revoked_why{};

  bool operator==(const FleetHost&) const = default;
  void Fields(auto& list) const {
    list("host_id", host_id, "name", name, "group", group, "rack", rack, "condition", condition,
         "since_unix_ns", since_unix_ns, "last_verdict", last_verdict, "seen_unix_ns", seen_unix_ns,
         "changed_unix_ns", changed_unix_ns, "failed", failed, "warned", warned, "unknown", unknown, "passed",
         passed, "waived", waived, "first_check", first_check, "first_observed", first_observed, "profiles",
         profiles, "agent_version", agent_version, "kernel_release", kernel_release, "boot_id", boot_id,
         "clock_ahead_ns", clock_ahead_ns, "maintenance_until_unix_ns", maintenance_until_unix_ns,
         "maintenance_reason", maintenance_reason, "ports", ports, "unacknowledged", unacknowledged, "digest",
         digest, "trouble", trouble, "revoked_unix_ns", revoked_unix_ns, "revoked_why", revoked_why, "unlisted",
         unlisted);
  }
};

struct FleetFinding {
  std::string host_id{};
  std::string host{};  // its name
  std::string check{};
  std::string subject{};
  std::string profile{};
  Outcome outcome = Outcome::kUnknown;
  bool blocking = false;
  std::string observed{};
  std::string expected{};
  std::string fix{};
  std::int64_t since_unix_ns = 0;
  std::int64_t over_unix_ns = 0;  // since when it is well again; 0: it is not
  std::string switch_port{};      // "leaf1 Ethernet12", as the port's neighbour says; empty: not heard
  std::string acknowledged_by{};
  std::int64_t acknowledged_unix_ns = 0;
  std::string acknowledged_why{};
  std::optional<Remedy> remedy{};  // is not kept: the hub makes it of the host's facts where it is asked for

  bool operator==(const FleetFinding&) const = default;
  void Fields(auto& list) const {
    list("host_id", host_id, "host", host, "check", check, "subject", subject, "profile", profile, "outcome",
         outcome, "blocking", blocking, "observed", observed, "expected", expected, "fix", fix, "since_unix_ns",
         since_unix_ns, "over_unix_ns", over_unix_ns, "switch_port", switch_port, "acknowledged_by",
         acknowledged_by, "acknowledged_unix_ns", acknowledged_unix_ns, "acknowledged_why", acknowledged_why,
         "remedy", remedy);
  }
};

// A verdict that became another.
struct FleetChange {
  std::string host_id{};
  std::string host{};
  std::uint64_t number = 0;  // counted for each host
  std::int64_t unix_ns = 0;
  std::string check{};  // empty: the host as a whole, `observed` says what
  std::string subject{};
  std::string profile{};
  Outcome before = Outcome::kUnknown;
  Outcome after = Outcome::kUnknown;
  std::string observed{};
  std::uint32_t times = 1;  // more: it went to and fro, and this is the last time
  std::int64_t last_unix_ns = 0;

  bool operator==(const FleetChange&) const = default;
  void Fields(auto& list) const {
    list("host_id", host_id, "host", host, "number", number, "unix_ns", unix_ns, "check", check, "subject",
         subject, "profile", profile, "before", before, "after", after, "observed", observed, "times", times,
         "last_unix_ns", last_unix_ns);
  }
};

// What is otherwise now than it was at a moment of the past.
struct FleetDifference {
  std::string host_id{};
  std::string host{};
  std::string check{};
  std::string subject{};
  std::string profile{};
  Outcome then = Outcome::kUnknown;
  Outcome now = Outcome::kUnknown;
  std::string observed{};   // now; of what is well again: then
  std::uint32_t times = 0;  // how often it changed in between

  bool operator==(const FleetDifference&) const = default;
  void Fields(auto& list) const {
    list("host_id", host_id, "host", host, "check", check, "subject", subject, "profile", profile, "then", then,
         "now", now, "observed", observed, "times", times);
  }
};

// What somebody had a hub do, or was refused. Each entry has the digest of the one before it in its own: one
// that was changed, or left out, breaks the chain there.
struct FleetAuditEntry {
  std::string hub{};
  std::uint64_t number = 0;  // counted for each hub, from 1
  std::int64_t unix_ns = 0;
  std::string who{};
  std::string peer{};      // where from: "ipv4:10.0.0.7:41234"
  std::string verb{};      // "acknowledge"
  std::string detail{};    // of what, and why, in words
  std::string outcome{};   // "asked", before it is done; "failed: ..." of one that was not; "refused: ..."
  std::string previous{};  // digest of the entry before; empty of the first
  std::string digest{};

  bool operator==(const FleetAuditEntry&) const = default;
  void Fields(auto& list) const {
    list("hub", hub, "number", number, "unix_ns", unix_ns, "who", who, "peer", peer, "verb", verb, "detail",
         detail, "outcome", outcome, "previous", previous, "digest", digest);
  }
};

// How many hosts are in which condition.
struct ConditionCounts {
  std::uint64_t ready = 0;
  std::uint64_t not_ready = 0;
  std::uint64_t undetermined = 0;
  std::uint64_t silent = 0;
  std::uint64_t never_reported = 0;
  std::uint64_t maintenance = 0;  // of them, hosts that are worked on
  std::uint64_t unlisted = 0;     // of them, hosts that no inventory names, though there is one
  std::uint64_t revoked = 0;      // of the fleet no more, and in no other count

  bool operator==(const ConditionCounts&) const = default;
  void Fields(auto& list) const {
    list("ready", ready, "not_ready", not_ready, "undetermined", undetermined, "silent", silent,
         "never_reported", never_reported, "maintenance", maintenance, "revoked", revoked, "unlisted",
         unlisted);
  }
};

struct GroupStatus {
  std::string group{};  // empty: hosts of no group
  ConditionCounts counts{};

  bool operator==(const GroupStatus&) const = default;
  void Fields(auto& list) const { list("group", group, "counts", counts); }
};

// What stands first in the way of several hosts.
struct CommonFinding {
  std::string check{};
  std::string title{};
  bool blocking = false;
  std::uint64_t hosts = 0;
  std::vector<std::string> names{};  // the first of them
  std::string observed{};            // of the first

  bool operator==(const CommonFinding&) const = default;
  void Fields(auto& list) const {
    list("check", check, "title", title, "blocking", blocking, "hosts", hosts, "names", names, "observed",
         observed);
  }
};

// What the ports of a group have in common, where something can be said of that.
enum class ComparisonState { kUnknown, kAlike, kOddOnes, kNoMajority, kTooFew, kNoQuorum };

struct ValueShare {
  std::string value{};
  std::uint32_t hosts = 0;
  std::string host{};  // one of them

  bool operator==(const ValueShare&) const = default;
  void Fields(auto& list) const { list("value", value, "hosts", hosts, "host", host); }
};

// What is usual in a group, for one check, among ports that should be alike.
struct UsualValue {
  std::string group{};
  std::string profile{};
  std::string check{};
  std::string title{};
  std::string among{};  // "subnet 10.1.0.0/16", "ports mlx5_0/1"; empty: all ports
  std::string model{};  // of the adapter, where only ports of one are compared
  ComparisonState state = ComparisonState::kUnknown;
  std::string value{};      // that the most have
  std::uint32_t hosts = 0;  // that have it
  std::uint32_t of = 0;     // that take part; the rest have others, several, or it is not known
  std::vector<ValueShare> others{};

  bool operator==(const UsualValue&) const = default;
  void Fields(auto& list) const {
    list("group", group, "profile", profile, "check", check, "title", title, "among", among, "model", model,
         "state", state, "value", value, "hosts", hosts, "of", of, "others", others);
  }
};

// Hosts that are alike in being odd.
struct OddOnes {
  std::string check{};
  std::string title{};
  std::string group{};
  std::string observed{};  // of the first
  std::string expected{};
  std::uint64_t hosts = 0;
  std::vector<std::string> names{};  // the first of them

  bool operator==(const OddOnes&) const = default;
  void Fields(auto& list) const {
    list("check", check, "title", title, "group", group, "observed", observed, "expected", expected, "hosts",
         hosts, "names", names);
  }
};

struct FleetStatus {
  std::string hub{};
  std::string hub_version{};
  std::int64_t unix_ns = 0;
  std::uint64_t hosts = 0;
  ConditionCounts counts{};
  std::vector<GroupStatus> groups{};
  std::vector<CommonFinding> findings{};  // by how many hosts have it
  std::vector<FleetHost> odd{};           // not well, the longest first
  std::uint32_t period_s = 0;
  std::vector<OddOnes> odd_ones{};  // hosts that differ from most of their group, by how many
  std::uint32_t undecided = 0;      // comparisons whose hosts differ, and no value is that of most

  bool operator==(const FleetStatus&) const = default;
  void Fields(auto& list) const {
    list("hub", hub, "hub_version", hub_version, "unix_ns", unix_ns, "hosts", hosts, "counts", counts, "groups",
         groups, "findings", findings, "odd", odd, "period_s", period_s, "odd_ones", odd_ones, "undecided",
         undecided);
  }
};

}  // namespace rdmaready
