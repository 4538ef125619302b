// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/link_causes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "checks/begin.h"
#include "checks/catalog.h"
#include "checks/fleet/between.h"
#include "checks/live/transfer.h"
#include "checks/net/address_fix.h"
#include "checks/words/addresses.h"
#include "checks/words/ethernet.h"
#include "checks/words/fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::optional<PlacedAddress> PlaceOf(const CauseEnd& end) {
  for (PlacedAddress& placed : AddressesOf(*end.port)) {
    if (placed.ip.address == end.address) return std::move(placed);
  }
  return std::nullopt;
}

// `ip` is where the subnet of `own` is.
bool Holds(const IpAddress& own, const IpAddress& ip) {
  const std::string subnet = SubnetOf(own);
  return !subnet.empty() && subnet == SubnetOf({ip.address, own.prefix_length});
}

std::string WithPrefix(const IpAddress& ip) { return Cat(ip.address, "/", unsigned{ip.prefix_length}); }

// Gives the host with the prefix that is too narrow the prefix that holds both addresses. RDMA takes the GID of
// an address away with it (drivers/infiniband/core/roce_gid_mgmt.c): first it goes, then it comes again.
std::string PrefixCommand(const PlacedAddress& place, unsigned bits) {
  const std::string netdev = ShellWord(place.netdev);
  const std::string address = ShellWord(place.ip.address);
  return Cat("ip address del ", address, "/", unsigned{place.ip.prefix_length}, " dev ", netdev,
             " && ip address add ", address, "/", bits, " dev ", netdev);
}

Fix PrefixFix(const CauseEnd& odd, const PlacedAddress& place, const CauseEnd& other,
              const PlacedAddress& wider) {
  Fix fix = OnHost(Fix(PrefixCommand(place, wider.ip.prefix_length))
                       .Because("one of the two prefixes is wrong, and nothing says which")
                       .Caution(Cat("connections by ", Printable(place.ip.address), " end")),
                   odd.host);
  if (LeadsByDefault(*odd.facts, place.netdev)) fix = std::move(fix).Caution(DefaultRouteGoes(place.netdev));
  return std::move(fix)
      .Do("for good: in the network configuration")
      .Or(Cat("where ", Printable(odd.host), " is right, on ", Printable(other.host), ": ",
              PrefixCommand(wider, place.ip.prefix_length)));
}

// A prefix that leaves room for a router and one host: each port of a routed fabric has one.
bool IsOfRoutedFabric(const IpAddress& ip) {
  constexpr unsigned kPointToPoint = 30;
  constexpr unsigned kPointToPointIpv6 = 126;
  const bool ipv6 = ip.address.find(':') != std::string::npos;
  return ip.prefix_length >= (ipv6 ? kPointToPointIpv6 : kPointToPoint);
}

// The two are meant to be routed.
Fix RouterFix(const CauseEnd& at, const PlacedAddress& place, const CauseEnd& peer) {
  const std::string get = Cat("ip route get ", ShellWord(peer.address), " oif ", ShellWord(place.netdev));
  return OnHost(Fix(get)
                    .Because("no router leads from one of the two to the other", Certainty::kPossible)
                    .Do(Cat("on both hosts add a route to the other through the RDMA interface"))
                    .Do("let routers and firewalls pass UDP 4791 (RoCE v2)", StepSite::kSwitch),
                at.host);
}

// It adds an address and deletes none: both subnets may be right, and what is missing is a router.
Fix SubnetFix(const CauseEnd& odd, const PlacedAddress& place, const std::string& subnet) {
  const std::string netdev = ShellWord(place.netdev);
  return OnHost(
      Fix(Cat("ip address add ADDRESS dev ", netdev))
          .Because("one of the two subnets is wrong, or a router between them is missing", Certainty::kPossible)
          .Caution("the command holds until the next boot")
          .Do(Cat("ADDRESS: a free one of ", subnet, "; ", Printable(place.ip.address),
                  " can be deleted when nobody uses it any more"))
          .Do("for good: in the network configuration")
          .Or(Cat("where both subnets are right, add routes between them on both hosts: ip route get ",
                  ShellWord(place.ip.address), " shows the way that is taken")),
      odd.host);
}

struct RouteWords {
  std::string_view kernel;
  std::string_view means;
};

// strerror's words of what the routing of addr_resolve and cma_acquire_dev refuses with
// (drivers/infiniband/core).
constexpr std::array<RouteWords, 5> kNoRoute{{
    {"Network is unreachable", "the kernel has no route"},
    {"No route to host", "a route or a rule says unreachable"},
    {"Invalid argument", "a route or a rule is a blackhole"},
    {"Permission denied", "a route or a rule prohibits it"},
    {"No such device", "the route leads by an interface without RDMA"},
}};

const RouteWords* WordsOf(const Failure& failure) {
  const bool connects = failure.kind == FailureKind::kSetup || failure.kind == FailureKind::kUnreachable;
  if (!connects || !failure.detail.starts_with("resolve the address ")) return nullptr;
  const auto* found = std::ranges::find_if(kNoRoute, [&failure](const RouteWords& words) {
    return failure.detail.find(words.kernel) != std::string::npos;
  });
  return found == kNoRoute.end() ? nullptr : found;
}

}  // namespace

std::string PairSubject(const CauseEnd& from, const CauseEnd& to) {
  return Printable(Cat(PortName(*from.port), " -> ", PortName(*to.port)));
}

std::optional<Finding> VlanBetween(const CauseEnd& from, const CauseEnd& to, const Profile& profile) {
  const std::optional<PlacedAddress> a = PlaceOf(from);
  const std::optional<PlacedAddress> b = PlaceOf(to);
  if (!a || !b || (!Holds(a->ip, b->ip) && !Holds(b->ip, a->ip))) return std::nullopt;
  const Check& check = *FindCheck("agree.vlan");
  const auto& rule = std::get<Agreement>(check.judge);
  const Fact<std::string> own = rule.value_at({*from.facts, *from.port, profile}, *a);
  const Fact<std::string> others = rule.value_at({*to.facts, *to.port, profile}, *b);
  if (!own || !others || *own == *others) return std::nullopt;
  Finding finding = Begin(check, profile, PairSubject(from, to));
  finding.scope = Scope::kPair;
  TakeVerdict(finding, check,
              DifferenceBetween({from.host, {*from.facts, *from.port, &*a}, *own},
                                {to.host, {*to.facts, *to.port, &*b}, *others}, rule));
  if (*own == rule.may_differ || *others == rule.may_differ) finding.outcome = Outcome::kWarn;
  return finding;
}

std::optional<Finding> SubnetBetween(const CauseEnd& from, const CauseEnd& to) {
  if (IsInfiniBand(*from.port) || IsInfiniBand(*to.port)) return std::nullopt;
  const std::optional<PlacedAddress> a = PlaceOf(from);
  const std::optional<PlacedAddress> b = PlaceOf(to);
  if (!a || !b) return std::nullopt;
  const bool there = Holds(a->ip, b->ip);
  const bool back = Holds(b->ip, a->ip);
  if (there && back) return std::nullopt;
  const std::string both = Cat(WithPrefix(a->ip), " on ", a->netdev, " of ", from.host, ", ", WithPrefix(b->ip),
                               " on ", b->netdev, " of ", to.host);
  const TransferPlace place{.rung = Rung::kPeer,
                            .subject = PairSubject(from, to),
                            .peer_host = std::string(to.host),
                            .host = std::string(from.host)};
  Finding finding;
  Fix fix;
  if (!there && !back) {
    finding = NoPath(place, Cat(both, ": no subnet in common, and no connection by a router"));
    const bool routed = IsOfRoutedFabric(a->ip) && IsOfRoutedFabric(b->ip);
    fix = routed ? RouterFix(from, *a, to) : SubnetFix(to, *b, SubnetOf(a->ip));
  } else {
    finding = NoPath(place,
                     Cat(both, ": only ", there ? from.host : to.host, " takes the other to be in its subnet"));
    finding.expected = "prefixes of one length";
    fix = there ? PrefixFix(to, *b, from, *a) : PrefixFix(from, *a, to, *b);
  }
  const std::string check = finding.remedy ? finding.remedy->check : std::string();
  SetFix(finding, std::move(fix).CheckBy(check));
  return finding;
}

namespace {

// A wrong route of `at`, to the address of `peer`.
KnownCause RouteAt(const CauseEnd& at, const PlacedAddress& own, const CauseEnd& peer, const std::string& seen,
                   std::string_view source, const Profile& profile) {
  const Check& check = *FindCheck("ip.route-symmetric");
  Finding finding = Begin(check, profile, SubjectOf(*at.port));
  const std::string netdev = ShellWord(own.netdev);
  const std::string to = ShellWord(peer.address);
  const bool ipv6 = peer.address.find(':') != std::string_view::npos;
  const std::string ip = ipv6 ? "ip -6" : "ip";
  const Fix fix =
      Fix(Cat(ip, " route replace ", to, ipv6 ? "/128" : "/32", " dev ", netdev, " src ",
              ShellWord(at.address)))
          .Caution("the command holds until the next boot")
          .Do("look for the route or the rule that is wrong, and take it out of the network configuration: ip "
              "rule show; ip route show table all")
          .CheckBy(Cat(ip, " route get ", to, " from ", ShellWord(at.address)));
  TakeVerdict(finding, check,
              Judged(false, Cat("from ", at.address, " to ", peer.address, " of ", peer.host, ": ", seen),
                     Cat("by ", own.netdev), source, fix));
  finding.outcome = Outcome::kFail;
  finding.blocking = true;
  finding.rung = Rung::kPeer;
  return {CauseKind::kRoute, std::string(at.host), std::move(finding)};
}

}  // namespace

std::optional<KnownCause> RouteCause(const Failure& failure, const CauseEnd& from, const CauseEnd& to,
                                     const Profile& profile) {
  const RouteWords* words = WordsOf(failure);
  const std::optional<PlacedAddress> own = PlaceOf(from);
  // Outside of its own subnet it takes a router: SubnetBetween says so.
  if (words == nullptr || !own || !Holds(own->ip, IpAddress{.address = std::string(to.address)}))
    return std::nullopt;
  return RouteAt(from, *own, to, Cat(words->means, " (", words->kernel, ")"), "RDMA-CM, resolving the address",
                 profile);
}

std::optional<KnownCause> NoWayBack(const Failure& failure, const CauseEnd& from, const CauseEnd& to,
                                    const Profile& profile) {
  const std::optional<PlacedAddress> theirs = PlaceOf(from);
  const std::optional<PlacedAddress> own = PlaceOf(to);
  if (failure.kind != FailureKind::kRejected || !theirs || !own) return std::nullopt;
  if (!Holds(own->ip, theirs->ip) || !NotRoce(*to.port).empty()) return std::nullopt;
  return RouteAt(to, *own, from,
                 Cat("a connection from there was rejected: the kernel has no route back by ", own->netdev,
                     ", only a blackhole or another interface"),
                 "RDMA-CM, the peer's answer", profile);
}

}  // namespace rdmaready
