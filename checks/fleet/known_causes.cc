// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/known_causes.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/model/well_known_ports.h"
#include "checks/begin.h"
#include "checks/catalog.h"
#include "checks/fleet/between.h"
#include "checks/fleet/link_causes.h"
#include "checks/live/transfer_hints.h"
#include "checks/words/addresses.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

struct OwnIds {
  CauseKind kind;
  std::vector<std::string_view> ids;
};

// The checks of one host that say it is the cause, and those of several hosts where most say which one is
// wrong.
const std::vector<OwnIds>& OwnFindings() {
  static const std::vector<OwnIds> kOwn{
      {CauseKind::kLink, {"link.state", "inv.netdev-mapping", "inv.transport"}},
      {CauseKind::kVlan, {"vlan.present", "vlan.id", "agree.vlan"}},
      {CauseKind::kAddress, {"ip.duplicate", "ip.address"}},
      {CauseKind::kRoute, {"ip.route-symmetric"}},
      {CauseKind::kMtu,
       {"mtu.max", "mtu.ethernet", "mtu.vlan", "mtu.roce-active", "agree.netdev-mtu", "agree.mtu"}},
      {CauseKind::kGid, {"gid.v2-present", "gid.ip-match", "gid.default-mode"}},
      {CauseKind::kMark, {"roce.tos", "map.dscp", "trust.mode", "agree.marking", "agree.dscp"}},
      {CauseKind::kPfc, {"pfc.lossless-priority", "agree.pfc"}},
      {CauseKind::kMemory, {"host.memlock"}},
  };
  return kOwn;
}

// The checks of two ports together.
const std::vector<OwnIds>& SharedFindings() {
  static const std::vector<OwnIds> kShared{
      {CauseKind::kAddress, {"agree.address"}},
      {CauseKind::kMtu, {"mtu.pair", "agree.netdev-mtu", "agree.mtu"}},
      {CauseKind::kMark, {"trust.uniform", "agree.marking", "agree.dscp"}},
      {CauseKind::kPfc, {"pfc.both-directions", "agree.pfc"}},
  };
  return kShared;
}

bool IsBlocking(const Finding& finding) { return finding.outcome == Outcome::kFail && finding.blocking; }

bool IsWrong(const Finding& finding) {
  return finding.hidden_by.empty() && (finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn);
}

// As a failure that keeps both hosts from being ready for each other.
Finding Blocking(Finding finding) {
  if (IsBlocking(finding)) return finding;
  finding.outcome = Outcome::kFail;
  finding.blocking = true;
  finding.rung = Rung::kPeer;
  return finding;
}

// ---- GIDs ----

std::set<GidType> TypesOf(const CauseEnd& end) {
  std::set<GidType> types;
  if (!end.port->gids) return types;
  for (const Gid& gid : *end.port->gids) {
    if (AddressOfGid(gid.raw) == end.address) types.insert(gid.type);
  }
  types.erase(GidType::kUnknown);
  return types;
}

std::string TypesText(const std::set<GidType>& types) {
  std::string text;
  for (const GidType type : types) {
    const std::string_view name = type == GidType::kRoceV2 ? "RoCE v2" : "RoCE v1";
    text += Cat(text.empty() ? "" : " and ", name);
  }
  return Cat(text, " GIDs only");
}

// An address that routing put on two interfaces is only warned of, and so is a GID too many.
bool Matters(const Finding& finding, const CauseEnd& end) {
  if (finding.id == "ip.duplicate") return finding.outcome == Outcome::kFail;
  if (finding.id == "gid.ip-match") return end.port->gids && TypesOf(end).empty();
  return true;
}

const Finding* OwnWrong(const CauseEnd& end, std::string_view id) {
  const std::string subject = SubjectOf(*end.port);
  const auto found = std::ranges::find_if(end.findings, [&](const Finding& finding) {
    return finding.id == id && IsWrong(finding) && Matters(finding, end) &&
           (finding.scope == Scope::kHost || SamePlace(finding.subject, subject));
  });
  return found == end.findings.end() ? nullptr : &*found;
}

// ---- the packet filter ----

// Software devices take RDMA from a socket: the NICs' own RDMA passes no packet filter
// (checks/net/firewall.cc).
bool Drops(const Firewall& firewall, const CauseEnd& end, std::uint8_t protocol, std::uint16_t port,
           bool only_policy) {
  const bool ipv6 = end.address.find(':') != std::string_view::npos;
  const std::vector<PlacedAddress> ways = AddressesOf(*end.port);
  const auto way =
      std::ranges::find(ways, end.address, [](const PlacedAddress& placed) { return placed.ip.address; });
  if (way == ways.end()) return false;
  return std::ranges::any_of(firewall.packets, [&](const FilteredPacket& packet) {
    const bool same = packet.netdev == way->netdev && packet.ipv6 == ipv6 && packet.protocol == protocol;
    const bool of_port = only_policy ? packet.place.starts_with("the policy of") : packet.port == port;
    return same && of_port && packet.fate == PacketFate::kDropped;
  });
}

// A test of iWARP listens on a port that nobody tried: what is dropped by the policy is dropped with it.
bool FirewallDrops(const CauseEnd& end) {
  if (!IsSoftware(*end.port) || !end.facts->firewall || !end.port->transport) return false;
  const Firewall& firewall = *end.facts->firewall;
  if (*end.port->transport == Transport::kRoce) return Drops(firewall, end, IPPROTO_UDP, kRoceV2UdpPort, false);
  return *end.port->transport == Transport::kIwarp && Drops(firewall, end, IPPROTO_TCP, 0, true);
}

class Finder {
 public:
  Finder(const CauseEnd& from, const CauseEnd& to, std::span<const Finding> between, const Profile& profile)
      : from_(from), to_(to), between_(between), profile_(profile) {}

  std::vector<KnownCause> Find() && {
    for (const OwnIds& own : OwnFindings()) AddOwn(own);
    AddFirewall();
    AddBetween();
    std::ranges::stable_sort(
        causes_, {}, [](const KnownCause& cause) { return std::pair(!cause.was_blocking, cause.kind); });
    return std::move(causes_);
  }

 private:
  bool Has(CauseKind kind) const {
    return std::ranges::any_of(causes_, [kind](const KnownCause& cause) { return cause.kind == kind; });
  }

  void AddOwn(const OwnIds& own) {
    for (const CauseEnd* end : {&from_, &to_}) {
      for (const std::string_view id : own.ids) {
        const Finding* finding = OwnWrong(*end, id);
        if (finding == nullptr) continue;
        causes_.push_back({own.kind, std::string(end->host), Blocking(*finding), IsBlocking(*finding)});
        break;
      }
    }
  }

  void AddFirewall() {
    for (const CauseEnd* end : {&from_, &to_}) {
      const Finding* finding = FirewallDrops(*end) ? OwnWrong(*end, "ip.firewall") : nullptr;
      if (finding != nullptr)
        causes_.push_back({CauseKind::kFirewall, std::string(end->host), Blocking(*finding), true});
    }
  }

  // A host that is wrong by itself is the one: nothing of that kind is between the two then.
  void AddBetween() {
    for (const OwnIds& shared : SharedFindings()) {
      if (!Has(shared.kind)) AddShared(shared);
    }
    if (!Has(CauseKind::kVlan)) Add(CauseKind::kVlan, VlanBetween(from_, to_, profile_));
    if (!Has(CauseKind::kGid)) Add(CauseKind::kGid, GidBetween());
    // A routed fabric has a subnet for each port: that alone is the weakest cause.
    const bool connects = std::ranges::none_of(
        causes_, [](const KnownCause& cause) { return cause.kind <= CauseKind::kFirewall; });
    if (connects) Add(CauseKind::kSubnet, SubnetBetween(from_, to_));
  }

  void AddShared(const OwnIds& shared) {
    for (const std::string_view id : shared.ids) {
      const auto found = std::ranges::find_if(
          between_, [&](const Finding& finding) { return finding.id == id && IsWrong(finding); });
      if (found == between_.end()) continue;
      return Add(shared.kind, *found);
    }
  }

  void Add(CauseKind kind, std::optional<Finding> finding) {
    if (!finding) return;
    const bool was_blocking = IsBlocking(*finding);
    causes_.push_back({kind, "", Blocking(*std::move(finding)), was_blocking});
  }

  std::optional<Finding> GidBetween() const {
    const bool roce = NotRoce(*from_.port).empty() && NotRoce(*to_.port).empty();
    const std::set<GidType> own = TypesOf(from_);
    const std::set<GidType> others = TypesOf(to_);
    if (!roce || own.empty() || others.empty()) return std::nullopt;
    const auto shared = [&others](GidType type) { return others.contains(type); };
    if (std::ranges::any_of(own, shared)) return std::nullopt;
    const Check& check = *FindCheck("agree.gid");
    Finding finding = Begin(check, profile_, PairSubject(from_, to_));
    finding.scope = Scope::kPair;
    TakeVerdict(
        finding, check,
        Judged(false,
               Cat(TypesText(own), " for ", from_.address, " at ", from_.host, ", ", TypesText(others), " for ",
                   to_.address, " at ", to_.host),
               "one type of GID at both", "GID tables of both",
               Fix("rdma link show")
                   .Caution("run the command on both hosts")
                   .Do("use adapters that have RoCE v2, or update the firmware of the one that has not")
                   .CheckBy(Cat("rdmaready test peer ", ShellWord(from_.host), " ", ShellWord(to_.host)))));
    return finding;
  }

  const CauseEnd& from_;
  const CauseEnd& to_;
  std::span<const Finding> between_;
  const Profile& profile_;
  std::vector<KnownCause> causes_{};
};

}  // namespace

std::vector<KnownCause> KnownCauses(const CauseEnd& from, const CauseEnd& to, std::span<const Finding> between,
                                    const Profile& profile) {
  return Finder(from, to, between, profile).Find();
}

bool Explains(CauseKind kind, const Failure& failure) {
  const bool path = kind <= CauseKind::kFirewall || kind == CauseKind::kGid;
  switch (failure.kind) {
    case FailureKind::kUnknown:
    case FailureKind::kNone:
    case FailureKind::kCancelled:
    case FailureKind::kCorrupt:
    case FailureKind::kPeerGone:
      return false;
    case FailureKind::kSetup:
      if (IsAboutMemory(failure)) return kind == CauseKind::kMemory;
      return path && (failure.detail.starts_with("resolve ") || failure.detail.starts_with("bind "));
    case FailureKind::kRejected:
      return path && kind != CauseKind::kLink && kind != CauseKind::kVlan;
    case FailureKind::kUnreachable:
      return path;
    case FailureKind::kCompletion:
    case FailureKind::kDisconnected:
    case FailureKind::kStalled:
    case FailureKind::kLost:
      return kind != CauseKind::kMark && kind != CauseKind::kMemory;
  }
  return false;
}

}  // namespace rdmaready
