// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

void PutRoute(const IpRoute& from, v1::Route* to) {
  to->set_netdev(from.netdev);
  to->set_gateway(from.gateway);
}

Fact<IpRoute> GetRoute(const v1::Route& from) { return IpRoute{from.netdev(), from.gateway()}; }

void PutSharer(const SubnetSharer& from, v1::SubnetSharer* to) {
  to->set_netdev(from.netdev);
  to->set_address(from.address);
  Put(from.ipv4, to->mutable_ipv4(), PutIpv4);
}

SubnetSharer GetSharer(const v1::SubnetSharer& from) {
  return {from.netdev(), from.address(), Get<Ipv4Settings>(from.ipv4(), GetIpv4)};
}

void PutSubnet(const Subnet& from, v1::Subnet* to) {
  to->set_netdev(from.netdev);
  PutAddress(from.own, to->mutable_own());
  PutList(from.shared_with, to->mutable_shared_with(), PutSharer);
  to->set_probe(from.probe);
  Put(from.route, to->mutable_route(), PutRoute);
}

Subnet GetSubnet(const v1::Subnet& from) {
  return {.netdev = from.netdev(),
          .own = GetAddress(from.own()),
          .shared_with = GetList<SubnetSharer>(from.shared_with(), GetSharer),
          .probe = from.probe(),
          .route = Get<IpRoute>(from.route(), GetRoute)};
}

void PutNeighbour(const Neighbour& from, v1::Neighbour* to) {
  to->set_netdev(from.netdev);
  to->set_address(from.address);
  to->set_mac(from.mac);
  to->set_state(static_cast<v1::NeighbourState>(from.state));
  to->set_age_s(from.age_s);
}

Neighbour GetNeighbour(const v1::Neighbour& from) {
  return {.netdev = from.netdev(),
          .address = from.address(),
          .mac = from.mac(),
          .state = Enumerator(from.state(), NeighbourState::kPermanent),
          .age_s = from.age_s()};
}

}  // namespace

void PutAddress(const IpAddress& from, v1::IpAddress* to) {
  to->set_address(from.address);
  to->set_prefix_length(from.prefix_length);
}

IpAddress GetAddress(const v1::IpAddress& from) {
  return {from.address(), Narrow<std::uint8_t>(from.prefix_length())};
}

void PutIpv4(const Ipv4Settings& from, v1::Ipv4Settings* to) {
  to->set_arp_ignore(from.arp_ignore);
  to->set_arp_announce(from.arp_announce);
  to->set_rp_filter(from.rp_filter);
  to->set_accept_local(from.accept_local);
  to->set_arp_filter(from.arp_filter);
}

Fact<Ipv4Settings> GetIpv4(const v1::Ipv4Settings& from) {
  return Ipv4Settings{.arp_ignore = from.arp_ignore(),
                      .arp_announce = from.arp_announce(),
                      .rp_filter = from.rp_filter(),
                      .accept_local = from.accept_local(),
                      .arp_filter = from.arp_filter()};
}

void PutSubnets(const std::vector<Subnet>& from, v1::Subnets* to) {
  PutList(from, to->mutable_subnets(), PutSubnet);
}

Fact<std::vector<Subnet>> GetSubnets(const v1::Subnets& from) {
  return GetList<Subnet>(from.subnets(), GetSubnet);
}

void PutNeighbours(const std::vector<Neighbour>& from, v1::Neighbours* to) {
  PutList(from, to->mutable_neighbours(), PutNeighbour);
}

Fact<std::vector<Neighbour>> GetNeighbours(const v1::Neighbours& from) {
  return GetList<Neighbour>(from.neighbours(), GetNeighbour);
}

void PutRoutingRules(const std::vector<RoutingRule>& from, v1::RoutingRules* to) {
  PutList(from, to->mutable_rules(), [](const RoutingRule& rule, v1::RoutingRule* row) {
    row->set_ipv6(rule.ipv6);
    row->set_priority(rule.priority);
    row->set_selector(rule.selector);
    row->set_action(rule.action);
  });
}

Fact<std::vector<RoutingRule>> GetRoutingRules(const v1::RoutingRules& from) {
  return GetList<RoutingRule>(from.rules(), [](const v1::RoutingRule& row) {
    return RoutingRule{
        .ipv6 = row.ipv6(), .priority = row.priority(), .selector = row.selector(), .action = row.action()};
  });
}

}  // namespace rdmaready::convert
