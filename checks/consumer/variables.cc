// SPDX-License-Identifier: Apache-2.0
// Read in NCCL 2.30 (docs/userguide/source/env.rst, transport/net_ib), RCCL 2.21 (transport/net_ib.cc), UCX
// (uct/ib/base/ib_iface.c, ib_md.c), MORI (application/transport/rdma/rdma.cpp,
// bootstrap/socket_bootstrap.cpp), SPDK (python/spdk/cli/bdev_nvme.py), and in mount.cifs(8), nfs(5) and
// nvme-connect(1).
#include "checks/consumer/variables.h"

#include <algorithm>

#include "checks/consumer/gid_for_jobs.h"
#include "checks/net/tagging.h"
#include "checks/placeholders.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostHcasOfNccl = 32;  // MAX_IB_DEVS

bool IsRoce(const ReadyPort& one) { return one.port->transport && *one.port->transport == Transport::kRoce; }

// "mlx5_0/1 ens1f0, mlx5_1/1 ens2f0"
std::string PortsText(const std::vector<ReadyPort>& ports) {
  std::string text;
  for (const ReadyPort& one : ports) text += Cat(text.empty() ? "" : ", ", SubjectOf(*one.port));
  return text;
}

std::string ListOf(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += Cat(list.empty() ? "" : ",", word);
  return list;
}

// An address of the port that storage may use: on a storage VLAN where the profile asks for one, else the first
// that does not lead to everybody else.
std::string AddressFor(const Facts& host, const ReadyPort& one) {
  const bool tagged = one.profile->vlan == Profile::Vlan::kTagged || one.profile->vlan_ids;
  if (tagged) {
    const std::vector<TaggedNetdev> vlans = StorageVlans(host, *one.port, *one.profile);
    return vlans.empty() ? "" : vlans.front().address;
  }
  const std::vector<PlacedAddress> addresses = AddressesBesideDefaultRoute(host, *one.port);
  return addresses.empty() ? "" : addresses.front().ip.address;
}

class Writer {
 public:
  Writer(const Facts& host, Consumer consumer, const std::vector<ReadyPort>& ports, Environment& environment)
      : host_(host), consumer_(consumer), ports_(ports), out_(environment) {}

  void Write() {
    switch (consumer_) {
      case Consumer::kNccl:
      case Consumer::kRccl:
        return Nccl();
      case Consumer::kUcx:
        return Ucx();
      case Consumer::kMori:
        return Mori();
      case Consumer::kSpdk:
        return Spdk();
      case Consumer::kSmb:
        return Add("SMB_MOUNT_OPTIONS", "rdma,vers=3.1.1",
                   "mount -t cifs -o: RDMA needs SMB 3, and 3.1.1 is its last dialect");
      case Consumer::kNvme:
        return Nvme();
      case Consumer::kNfs:
        return Add("NFS_MOUNT_OPTIONS", "proto=rdma,port=20049",
                   "mount -t nfs -o: RFC 8267 gives NFS over RDMA the port 20049");
      case Consumer::kUnknown:
        break;
    }
    Refuse("no such consumer");
  }

 private:
  void Add(std::string name, std::string value, std::string why) {
    out_.variables.push_back({std::move(name), std::move(value), std::move(why)});
  }
  void Refuse(std::string reason) {
    out_.state = Readiness::kUndetermined;
    out_.reason = std::move(reason);
  }

  std::vector<std::string> DevicesWithPort() const {
    std::vector<std::string> words;
    for (const ReadyPort& one : ports_) words.push_back(Cat(one.port->device, ":", one.port->number));
    return words;
  }

  std::string ReadyWhy() const {
    return Cat(CountText(ports_.size(), "port"), " ready for it: ", PortsText(ports_));
  }

  // "profile nvidia-lossless"
  std::string ProfileWhy() const { return Cat("profile ", ports_.front().profile->name); }

  bool AnyRoce() const { return std::ranges::any_of(ports_, IsRoce); }

  // False where no value is right; the reason is then in the environment. `words`: the variables of this
  // consumer.
  struct GidWords {
    std::string_view index;
    std::string_view automatic;  // the value that leaves the choice to the program
    bool ipv6_automatic;         // it has a way to be told that IPv6 is meant
  };
  bool GidIndex(const GidWords& words) {
    std::vector<PortGids> gids;
    for (const ReadyPort& one : ports_) {
      if (IsRoce(one)) gids.push_back({one.port, one.gids});
    }
    if (gids.empty()) return true;
    const GidChoice choice = ChooseGid(gids);
    if (choice.index) {
      Add(std::string(words.index), std::to_string(*choice.index),
          Cat("GID table: RoCE v2 with ", ListOf(choice.addresses)));
      return true;
    }
    const std::string differ =
        Cat("no GID index is right on every port (", choice.text, "), and ", words.index, " takes one for all");
    if (!choice.automatic || (choice.ipv6 && !words.ipv6_automatic)) {
      Refuse(Cat(differ, ": name ports that have one in common with --port"));
      return false;
    }
    Add(std::string(words.index), std::string(words.automatic),
        Cat(differ, ": its own choice is right on each of them"));
    if (consumer_ == Consumer::kNccl || consumer_ == Consumer::kRccl) {
      Add("NCCL_IB_ROCE_VERSION_NUM", "2", "its own choice of a GID: RoCE v2 (2.21 and later)");
      Add("NCCL_IB_ADDR_FAMILY", choice.ipv6 ? "AF_INET6" : "AF_INET",
          "its own choice of a GID: of that family (2.21 and later)");
      out_.notes.push_back("before version 2.21 it does not choose a GID by itself: name ports with --port");
    }
    return true;
  }

  void Marks(const std::string& tos_name, const std::string& sl_name) {
    if (!AnyRoce()) return;
    if (const CommonTos tos = TosOf(ports_); tos.tos)
      Add(tos_name, std::to_string(*tos.tos),
          Cat("ToS ", unsigned{*tos.tos}, " is DSCP ", unsigned{*tos.tos} >> 2U, ", the mark of RDMA in ",
              ProfileWhy()));
    const auto marked = std::ranges::find_if(
        ports_, [](const ReadyPort& one) { return IsRoce(one) && one.profile->rdma_priority; });
    if (marked == ports_.end()) return;
    const bool same = std::ranges::all_of(ports_, [&](const ReadyPort& one) {
      return !IsRoce(one) || one.profile->rdma_priority == marked->profile->rdma_priority;
    });
    if (same)
      Add(sl_name, std::to_string(*marked->profile->rdma_priority),
          Cat("the priority of RDMA in profile ", marked->profile->name, ": in the tag of a VLAN"));
  }

  // The interface of the default route: of sockets by which the processes find each other.
  bool Interface(const std::string& name, std::string_view exact, bool one_only) {
    if (!host_.default_routes && !NotOffered(host_.default_routes)) {
      Refuse(
          Cat("the default route is not known: ", NoAnswer(host_.default_routes.missing(), {}, {}).observed));
      return false;
    }
    if (!host_.default_routes || host_.default_routes->empty()) {
      out_.notes.push_back(Cat(name, " is not set: the host has no default route, so it chooses an interface"));
      return true;
    }
    std::vector<std::string> netdevs = *host_.default_routes;
    if (one_only) netdevs.resize(1);
    for (const std::string& netdev : netdevs) {
      if (IsPlainItem(netdev)) continue;
      Refuse(StrangeNameText(Cat("interface ", netdev)));
      return false;
    }
    Add(name, Cat(exact, ListOf(netdevs)), "routing table: the interface of the default route");
    return true;
  }

  // Where the site asks for an RDMA MTU, and every port has it.
  void Mtu(const std::string& name) {
    for (const ReadyPort& one : ports_) {
      const std::optional<std::uint32_t>& wanted = one.profile->roce_mtu_bytes;
      if (!IsRoce(one) || !wanted || wanted != ports_.front().profile->roce_mtu_bytes) return;
      if (!one.port->active_mtu_bytes || *one.port->active_mtu_bytes != *wanted) return;
    }
    Add(name, std::to_string(*ports_.front().profile->roce_mtu_bytes),
        Cat("RDMA netlink: the active MTU of every port, as ", ProfileWhy(), " asks"));
  }

  // A library uses InfiniBand or RoCE, and not both.
  bool OneLinkLayer() {
    const bool mixed = AnyRoce() && !std::ranges::all_of(ports_, IsRoce);
    if (mixed)
      Refuse(Cat("InfiniBand and RoCE ports are ready, and it uses one of the two: name ports with --port (",
                 PortsText(ports_), ")"));
    return !mixed;
  }

  void Nccl() {
    if (!OneLinkLayer()) return;
    Add("NCCL_IB_HCA", Cat("=", ListOf(DevicesWithPort())), Cat(ReadyWhy(), "; = takes exact names"));
    if (!GidIndex({"NCCL_IB_GID_INDEX", "-1", true})) return;
    Marks("NCCL_IB_TC", "NCCL_IB_SL");
    if (!Interface("NCCL_SOCKET_IFNAME", "=", false)) return;
    if (ports_.size() > kMostHcasOfNccl)
      out_.notes.push_back(Cat("NCCL uses no more than ", kMostHcasOfNccl, " ports: choose with --port"));
    if (consumer_ == Consumer::kRccl)
      out_.notes.push_back("RCCL reads the variables of NCCL; /etc/rccl.conf is its file");
  }

  void Ucx() {
    if (!OneLinkLayer()) return;
    Add("UCX_NET_DEVICES", ListOf(DevicesWithPort()), ReadyWhy());
    if (!GidIndex({"UCX_IB_GID_INDEX", "auto", false})) return;
    Marks("UCX_IB_TRAFFIC_CLASS", "UCX_IB_SL");
    Mtu("UCX_IB_PATH_MTU");
    out_.notes.push_back(
        "UCX_NET_DEVICES leaves out TCP: add the interface of the default route where UCX needs it");
  }

  void Mori() {
    if (!OneLinkLayer()) return;
    std::vector<std::string> devices;
    for (const ReadyPort& one : ports_) {
      if (std::ranges::find(devices, one.port->device) == devices.end()) devices.push_back(one.port->device);
    }
    Add("MORI_RDMA_DEVICES", ListOf(devices), Cat(ReadyWhy(), "; MORI takes devices with all of their ports"));
    if (!GidIndex({"MORI_IB_GID_INDEX", "-1", false})) return;
    Marks("MORI_RDMA_TC", "MORI_RDMA_SL");
    Mtu("MORI_IB_PATH_MTU");
    if (!Interface("MORI_SOCKET_IFNAME", "", true)) return;
    out_.notes.push_back(
        "MORI_IO_TC and MORI_IO_SL go before MORI_RDMA_TC and MORI_RDMA_SL where they are set");
  }

  // False where a port has no address: then the reason is said.
  bool EachAddress(const std::string& name, std::string_view why) {
    std::size_t number = 0;
    for (const ReadyPort& one : ports_) {
      const std::string address = AddressFor(host_, one);
      if (address.empty()) {
        out_.left_out.push_back({SubjectOf(*one.port), "it has no IP address that RDMA may use"});
        continue;
      }
      const std::string suffix = ++number == 1 ? "" : Cat("_", number);
      Add(Cat(name, suffix), address, Cat(why, ": the address of ", SubjectOf(*one.port)));
    }
    if (number > 0) return true;
    out_.state = Readiness::kNotReady;
    out_.reason = "no port has an IP address that RDMA may use";
    return false;
  }

  void StorageTos(const std::string& name, std::string_view option) {
    const CommonTos tos = TosOf(ports_);
    if (!tos.tos) return;
    Add(name, std::to_string(*tos.tos),
        Cat(option, ": ToS ", unsigned{*tos.tos}, " is DSCP ", unsigned{*tos.tos} >> 2U,
            ", the mark of RDMA in ", ProfileWhy()));
  }

  void Nvme() {
    Add("NVME_TRANSPORT", "rdma", "nvme connect --transport");
    Add("NVME_TRSVCID", "4420", "nvme connect --trsvcid: IANA gives NVMe over RDMA the port 4420");
    if (!EachAddress("NVME_HOST_TRADDR", "nvme connect --host-traddr")) return;
    StorageTos("NVME_TOS", "nvme connect --tos");
  }

  void Spdk() {
    Add("SPDK_TRTYPE", "RDMA", "trtype of a transport id");
    if (!EachAddress("SPDK_TRADDR",
                     "traddr of nvmf_subsystem_add_listener, hostaddr of bdev_nvme_attach_controller"))
      return;
    const auto is_ipv6 = [](const EnvVariable& one) {
      return one.name.starts_with("SPDK_TRADDR") && one.value.find(':') != std::string::npos;
    };
    const auto traddrs = std::ranges::count_if(
        out_.variables, [](const EnvVariable& one) { return one.name.starts_with("SPDK_TRADDR"); });
    const auto of_ipv6 = std::ranges::count_if(out_.variables, is_ipv6);
    if (of_ipv6 != 0 && of_ipv6 != traddrs)
      return Refuse("some ports have IPv4 addresses, others IPv6: name ports of one family with --port");
    Add("SPDK_ADRFAM", of_ipv6 == 0 ? "IPv4" : "IPv6", "adrfam: the family of SPDK_TRADDR");
    Add("SPDK_TRSVCID", "4420", "trsvcid: IANA gives NVMe over RDMA the port 4420");
    StorageTos("SPDK_TRANSPORT_TOS", "bdev_nvme_set_options --transport-tos");
  }

  const Facts& host_;
  const Consumer consumer_;
  const std::vector<ReadyPort>& ports_;
  Environment& out_;
};

}  // namespace

std::string StrangeNameText(std::string_view what) {
  return Cat("a shell may take characters of a name for its own, so nothing is printed: ", what);
}

CommonTos TosOf(const std::vector<ReadyPort>& ports) {
  CommonTos common;
  const ReadyPort* first = nullptr;
  for (const ReadyPort& one : ports) {
    if (!IsRoce(one)) continue;
    const std::optional<unsigned> wanted = WantedTos(*one.profile);
    if (first == nullptr) {
      first = &one;
      if (wanted) common.tos = static_cast<std::uint8_t>(*wanted);
    } else if (wanted != WantedTos(*first->profile)) {
      const auto text = [](const ReadyPort& of) {
        const std::optional<unsigned> tos = WantedTos(*of.profile);
        return Cat(tos ? std::to_string(*tos) : "none", " on ", PortName(*of.port));
      };
      common.tos.reset();
      common.conflict = Cat(text(*first), ", ", text(one));
    }
  }
  return common;
}

void AddVariables(const Facts& host, Consumer consumer, const std::vector<ReadyPort>& ports,
                  Environment& environment) {
  environment.state = Readiness::kReady;
  Writer(host, consumer, ports, environment).Write();
}

}  // namespace rdmaready
