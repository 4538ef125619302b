// SPDX-License-Identifier: Apache-2.0
#include "api/convert/facts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/convert/fact.h"

namespace rdmaready {
namespace {

using convert::Enumerator;
using convert::Get;
using convert::Narrow;
using convert::OutOfRange;
using convert::Put;

// ---- data centre bridging ----

template <class Repeated, class Array, class Convert>
void PutArray(const Array& from, Repeated* to, Convert convert) {
  for (const auto& element : from) to->Add(convert(element));
}

// False when the list has another length than the array.
template <class Repeated, class Array, class Convert>
bool GetArray(const Repeated& from, Array* to, Convert convert) {
  if (static_cast<std::size_t>(from.size()) != to->size()) return false;
  std::transform(from.begin(), from.end(), to->begin(), convert);
  return true;
}

template <class T>
std::uint32_t Widen(T value) {
  return static_cast<std::uint32_t>(value);
}

void PutEts(const Ets& from, v1::Ets* to) {
  to->set_willing(from.willing);
  to->set_traffic_classes(from.traffic_classes);
  PutArray(from.tx_percent, to->mutable_tx_percent(), Widen<std::uint8_t>);
  PutArray(from.tsa, to->mutable_tsa(), Widen<Tsa>);
  PutArray(from.prio_tc, to->mutable_prio_tc(), Widen<std::uint8_t>);
}

Fact<Ets> GetEts(const v1::Ets& from) {
  Ets to;
  to.willing = from.willing();
  to.traffic_classes = Narrow<std::uint8_t>(from.traffic_classes());
  const bool whole =
      GetArray(from.tx_percent(), &to.tx_percent, Narrow<std::uint8_t>) &&
      GetArray(from.tsa(), &to.tsa, [](std::uint32_t v) { return Tsa{Narrow<std::uint8_t>(v)}; }) &&
      GetArray(from.prio_tc(), &to.prio_tc, Narrow<std::uint8_t>);
  if (!whole) return OutOfRange("ETS lists are not of length 8");
  return to;
}

void PutPfc(const Pfc& from, v1::Pfc* to) {
  to->set_capability(from.capability);
  to->set_enabled(from.enabled);
  to->set_delay(from.delay);
  PutArray(from.pauses_sent, to->mutable_pauses_sent(), [](std::uint64_t v) { return v; });
  PutArray(from.pauses_received, to->mutable_pauses_received(), [](std::uint64_t v) { return v; });
}

Fact<Pfc> GetPfc(const v1::Pfc& from) {
  Pfc to;
  to.capability = Narrow<std::uint8_t>(from.capability());
  to.enabled = Narrow<std::uint8_t>(from.enabled());
  to.delay = Narrow<std::uint16_t>(from.delay());
  const auto same = [](std::uint64_t v) { return v; };
  if (!GetArray(from.pauses_sent(), &to.pauses_sent, same) ||
      !GetArray(from.pauses_received(), &to.pauses_received, same)) {
    return OutOfRange("PFC counters are not of length 8");
  }
  return to;
}

void PutApp(const std::vector<AppEntry>& from, v1::AppTable* to) {
  for (const AppEntry& entry : from) {
    v1::AppEntry* row = to->add_entries();
    row->set_selector(Widen(entry.selector));
    row->set_priority(entry.priority);
    row->set_protocol(entry.protocol);
  }
}

Fact<std::vector<AppEntry>> GetApp(const v1::AppTable& from) {
  std::vector<AppEntry> to;
  for (const v1::AppEntry& row : from.entries()) {
    to.push_back({.selector = AppSelector{Narrow<std::uint8_t>(row.selector())},
                  .priority = Narrow<std::uint8_t>(row.priority()),
                  .protocol = Narrow<std::uint16_t>(row.protocol())});
  }
  return to;
}

void PutTrust(const std::vector<AppSelector>& from, v1::AppTrust* to) {
  PutArray(from, to->mutable_selectors(), Widen<AppSelector>);
}

Fact<std::vector<AppSelector>> GetTrust(const v1::AppTrust& from) {
  std::vector<AppSelector> to;
  for (const std::uint32_t selector : from.selectors())
    to.push_back(AppSelector{Narrow<std::uint8_t>(selector)});
  return to;
}

void PutDcbx(const Dcbx& from, v1::Dcbx* to) {
  to->set_host(from.host);
  to->set_lld_managed(from.lld_managed);
  to->set_cee(from.cee);
  to->set_ieee(from.ieee);
  to->set_static_mode(from.static_mode);
}

Fact<Dcbx> GetDcbx(const v1::Dcbx& from) {
  return Dcbx{.host = from.host(),
              .lld_managed = from.lld_managed(),
              .cee = from.cee(),
              .ieee = from.ieee(),
              .static_mode = from.static_mode()};
}

void PutDcb(const Dcb& from, v1::Dcb* to) {
  Put(from.ets, to->mutable_ets(), PutEts);
  Put(from.pfc, to->mutable_pfc(), PutPfc);
  Put(from.app, to->mutable_app(), PutApp);
  Put(from.app_trust, to->mutable_app_trust(), PutTrust);
  Put(from.dcbx, to->mutable_dcbx(), PutDcbx);
}

Dcb GetDcb(const v1::Dcb& from) {
  return {.ets = Get<Ets>(from.ets(), GetEts),
          .pfc = Get<Pfc>(from.pfc(), GetPfc),
          .app = Get<std::vector<AppEntry>>(from.app(), GetApp),
          .app_trust = Get<std::vector<AppSelector>>(from.app_trust(), GetTrust),
          .dcbx = Get<Dcbx>(from.dcbx(), GetDcbx)};
}

// ---- Ethernet ----

void PutAddresses(const std::vector<IpAddress>& from, v1::IpAddresses* to) {
  for (const IpAddress& address : from) {
    v1::IpAddress* row = to->add_addresses();
    row->set_address(address.address);
    row->set_prefix_length(address.prefix_length);
  }
}

Fact<std::vector<IpAddress>> GetAddresses(const v1::IpAddresses& from) {
  std::vector<IpAddress> to;
  for (const v1::IpAddress& row : from.addresses()) {
    to.push_back({row.address(), Narrow<std::uint8_t>(row.prefix_length())});
  }
  return to;
}

void PutNetdev(const Netdev& from, v1::Netdev* to) {
  to->set_name(from.name);
  to->set_ifindex(from.ifindex);
  to->set_driver(from.driver);
  to->set_admin_up(from.admin_up);
  to->set_carrier(from.carrier);
  to->set_mtu_bytes(from.mtu_bytes);
  Put(from.speed_mbps, to->mutable_speed_mbps());
  Put(from.vlan_id, to->mutable_vlan_id());
  Put(from.addresses, to->mutable_addresses(), PutAddresses);
  PutDcb(from.dcb, to->mutable_dcb());
}

Fact<Netdev> GetNetdev(const v1::Netdev& from) {
  Netdev to;
  to.name = from.name();
  to.ifindex = from.ifindex();
  to.driver = from.driver();
  to.admin_up = from.admin_up();
  to.carrier = from.carrier();
  to.mtu_bytes = from.mtu_bytes();
  to.speed_mbps = Get<std::uint32_t>(from.speed_mbps());
  to.vlan_id = Get<std::uint16_t>(from.vlan_id());
  to.addresses = Get<std::vector<IpAddress>>(from.addresses(), GetAddresses);
  to.dcb = GetDcb(from.dcb());
  return to;
}

// ---- RDMA ----

void PutGids(const std::vector<Gid>& from, v1::Gids* to) {
  for (const Gid& gid : from) {
    v1::Gid* row = to->add_gids();
    row->set_index(gid.index);
    row->set_raw(gid.raw.data(), gid.raw.size());
    row->set_type(static_cast<v1::GidType>(gid.type));
    row->set_netdev(gid.netdev);
  }
}

Fact<std::vector<Gid>> GetGids(const v1::Gids& from) {
  std::vector<Gid> to;
  for (const v1::Gid& row : from.gids()) {
    Gid gid{.index = row.index(), .raw = {}, .type = GidType::kUnknown, .netdev = row.netdev()};
    if (row.raw().size() != gid.raw.size()) return OutOfRange("a GID is not 16 bytes long");
    std::copy(row.raw().begin(), row.raw().end(), gid.raw.begin());
    gid.type = Enumerator<GidType>(row.type(), GidType::kRoceV2);
    to.push_back(std::move(gid));
  }
  return to;
}

void PutPort(const Port& from, v1::Port* to) {
  to->set_device(from.device);
  to->set_number(from.number);
  Put(from.transport, to->mutable_transport());
  Put(from.software, to->mutable_software());
  Put(from.firmware, to->mutable_firmware());
  Put(from.state, to->mutable_state());
  Put(from.phys_state, to->mutable_phys_state());
  Put(from.active_mtu_bytes, to->mutable_active_mtu_bytes());
  Put(from.max_mtu_bytes, to->mutable_max_mtu_bytes());
  Put(from.gids, to->mutable_gids(), PutGids);
  Put(from.cm_default_mode, to->mutable_cm_default_mode());
  Put(from.cm_default_tos, to->mutable_cm_default_tos());
  Put(from.netdev, to->mutable_netdev(), PutNetdev);
}

Port GetPort(const v1::Port& from) {
  Port to;
  to.device = from.device();
  to.number = from.number();
  to.transport = convert::GetEnum(from.transport(), Transport::kIwarp);
  to.software = Get<bool>(from.software());
  to.firmware = Get<std::string>(from.firmware());
  to.state = convert::GetEnum(from.state(), PortState::kActiveDefer);
  to.phys_state = Get<std::uint8_t>(from.phys_state());
  to.active_mtu_bytes = Get<std::uint32_t>(from.active_mtu_bytes());
  to.max_mtu_bytes = Get<std::uint32_t>(from.max_mtu_bytes());
  to.gids = Get<std::vector<Gid>>(from.gids(), GetGids);
  to.cm_default_mode = convert::GetEnum(from.cm_default_mode(), GidType::kRoceV2);
  to.cm_default_tos = Get<std::uint8_t>(from.cm_default_tos());
  to.netdev = Get<Netdev>(from.netdev(), GetNetdev);
  return to;
}

void PutPorts(const std::vector<Port>& from, v1::Ports* to) {
  for (const Port& port : from) PutPort(port, to->add_ports());
}

Fact<std::vector<Port>> GetPorts(const v1::Ports& from) {
  std::vector<Port> to;
  for (const v1::Port& port : from.ports()) to.push_back(GetPort(port));
  return to;
}

// ---- the host ----

void PutKernel(const Kernel& from, v1::Kernel* to) { to->set_release(from.release); }

Fact<Kernel> GetKernel(const v1::Kernel& from) { return Kernel{from.release()}; }

void PutMemlock(const Memlock& from, v1::Memlock* to) {
  to->set_limit_bytes(from.limit_bytes);
  to->set_cap_ipc_lock(from.cap_ipc_lock);
  to->set_pid(from.pid);
}

Fact<Memlock> GetMemlock(const v1::Memlock& from) {
  return Memlock{.limit_bytes = from.limit_bytes(), .cap_ipc_lock = from.cap_ipc_lock(), .pid = from.pid()};
}

}  // namespace

v1::Facts ToProto(const Facts& facts) {
  v1::Facts message;
  message.set_hostname(facts.hostname);
  message.set_machine_id(facts.machine_id);
  Put(facts.kernel, message.mutable_kernel(), PutKernel);
  Put(facts.rdma_stack, message.mutable_rdma_stack());
  Put(facts.memlock, message.mutable_memlock(), PutMemlock);
  Put(facts.ports, message.mutable_ports(), PutPorts);
  return message;
}

Facts FromProto(const v1::Facts& message) {
  Facts facts;
  facts.hostname = message.hostname();
  facts.machine_id = message.machine_id();
  facts.kernel = Get<Kernel>(message.kernel(), GetKernel);
  facts.rdma_stack = convert::GetEnum(message.rdma_stack(), RdmaStack::kLoaded);
  facts.memlock = Get<Memlock>(message.memlock(), GetMemlock);
  facts.ports = Get<std::vector<Port>>(message.ports(), GetPorts);
  return facts;
}

}  // namespace rdmaready
