// SPDX-License-Identifier: Apache-2.0
// HostReader: the only way collectors see the world. Everything that crosses it is a raw value, so that it can
// be recorded, replayed and faked; decoding happens above it.
//
// Errors are ErrnoStatus: "action object: the kernel's words". Nothing here changes the host or loads a kernel
// module; the exceptions, of a moment, are documented at RdmaCmDefaults and ListenForLldp.
// Not thread-safe: one reader belongs to one thread at a time. Calls block, netlink for at most a few seconds,
// ListenForLldp and ListenForDcb for as long as they are told.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"

namespace rdmaready {

// One question to the kernel. `payload` starts after struct nlmsghdr: the protocol's own header, then
// attributes.
struct NetlinkRequest {
  int protocol = 0;        // NETLINK_ROUTE, NETLINK_RDMA
  std::uint16_t type = 0;  // RTM_GETLINK, ...
  bool dump = false;       // NLM_F_DUMP: all objects; otherwise one object
  std::vector<std::byte> payload{};

  bool operator==(const NetlinkRequest&) const = default;
};

// One message of an answer, without struct nlmsghdr and without acknowledgements.
struct NetlinkMessage {
  std::uint16_t type = 0;
  std::vector<std::byte> payload{};

  bool operator==(const NetlinkMessage&) const = default;
};

// ibv_query_device, numbers as they came; max_sge is the smaller one of sending and receiving.
struct VerbsDeviceAnswer {
  std::uint32_t device_cap_flags = 0;  // enum ibv_device_cap_flags
  std::uint32_t max_qp = 0;
  std::uint32_t max_qp_wr = 0;
  std::uint32_t max_sge = 0;
  std::uint32_t max_sge_rd = 0;
  std::uint32_t max_cqe = 0;
  std::uint32_t max_mr = 0;
  std::uint32_t max_mw = 0;
  std::uint32_t max_qp_rd_atom = 0;
  std::uint32_t max_qp_init_rd_atom = 0;

  bool operator==(const VerbsDeviceAnswer&) const = default;
};

// ibv_query_port, numbers as they came.
struct VerbsPortAnswer {
  std::uint32_t state = 0;       // enum ibv_port_state
  std::uint32_t phys_state = 0;  // enum ib_port_phys_state; 5 is LinkUp
  std::uint32_t max_mtu = 0;     // enum ibv_mtu: 1 is 256 bytes, 5 is 4096; some iWARP drivers put bytes here
  std::uint32_t active_mtu = 0;
  std::uint32_t link_layer = 0;  // IBV_LINK_LAYER_*: 1 InfiniBand, 2 Ethernet

  bool operator==(const VerbsPortAnswer&) const = default;
};

// One filled slot of ibv_query_gid_table.
struct VerbsGid {
  std::uint32_t port = 0;
  std::uint32_t index = 0;
  std::array<std::uint8_t, 16> raw{};
  std::uint32_t type = 0;     // enum ibv_gid_type: 0 InfiniBand (also iWARP), 1 RoCE v1, 2 RoCE v2
  std::uint32_t ifindex = 0;  // 0: none. Not translated to our network namespace

  bool operator==(const VerbsGid&) const = default;
};

// The text of the two files of Documentation/ABI/testing/configfs-rdma_cm, untrimmed.
struct RdmaCmAnswer {
  std::string default_roce_mode{};  // "RoCE v2\n"
  std::string default_roce_tos{};   // "0\n"

  bool operator==(const RdmaCmAnswer&) const = default;
};

// A frame as it passed a netdev, Ethernet header first. One that comes again, byte for byte, is counted.
struct LldpFrame {
  bool sent_here = false;  // by an agent of this host
  std::uint32_t times = 1;
  std::uint32_t first_ms = 0;  // since listening began
  std::uint32_t last_ms = 0;
  std::vector<std::byte> bytes{};

  bool operator==(const LldpFrame&) const = default;
};

struct LldpFrames {
  std::uint32_t listened_ms = 0;
  std::uint32_t left_out = 0;       // frames beyond what is kept
  std::vector<LldpFrame> frames{};  // in the order they came first

  bool operator==(const LldpFrames&) const = default;
};

// A process, as /proc names it.
struct ProcessName {
  std::uint32_t pid = 0;
  std::string name{};  // of /proc/PID/comm, without its end of line

  bool operator==(const ProcessName&) const = default;
};

// What the kernel told the group RTNLGRP_DCB.
struct DcbNotice {
  std::uint16_t type = 0;                // RTM_SETDCB, RTM_GETDCB
  std::uint32_t sequence = 0;            // nlmsg_seq of the request that it follows
  std::uint32_t at_ms = 0;               // since listening began
  std::vector<std::byte> payload{};      // struct dcbmsg first
  std::vector<ProcessName> newcomers{};  // with a socket of NETLINK_ROUTE, which they had not at the beginning

  bool operator==(const DcbNotice&) const = default;
};

struct DcbNotices {
  std::uint32_t listened_ms = 0;
  bool lost = false;                     // there were more than the kernel, or we, could keep
  std::vector<ProcessName> residents{};  // with a socket of NETLINK_ROUTE when listening began
  std::vector<DcbNotice> notices{};      // in their order

  bool operator==(const DcbNotices&) const = default;
};

// One question to a management agent of an InfiniBand port of this host. `mad` is the whole datagram, 256 bytes
// (collectors/rdma/mad.h); its transaction is left to the reader.
struct MadRequest {
  std::string device{};
  std::uint32_t port = 0;  // from 1
  std::uint16_t lid = 0;   // of the port itself; 0xffff by a directed route
  std::vector<std::byte> mad{};

  auto operator<=>(const MadRequest&) const = default;
};

struct LldpWait {
  std::chrono::milliseconds longest{};
  std::stop_token stop{};  // ends it early; what was heard until then is the answer
};

class HostReader {
 public:
  virtual ~HostReader() = default;

  // The whole file, at most a few MiB.
  virtual absl::StatusOr<std::string> ReadFile(std::string_view absolute_path) = 0;

  // Those lines of the file, without their ends, that hold one of `words`, whatever the case of ASCII letters:
  // of a file that is large, or holds what is nobody's business. The rest is neither returned nor recorded.
  virtual absl::StatusOr<std::vector<std::string>> FindLines(std::string_view absolute_path,
                                                             const std::vector<std::string>& words) = 0;

  // Names of the entries, sorted, without "." and "..".
  virtual absl::StatusOr<std::vector<std::string>> ListDirectory(std::string_view absolute_path) = 0;

  // The link's text, not resolved.
  virtual absl::StatusOr<std::string> ReadLink(std::string_view absolute_path) = 0;

  // The permission bits, as chmod(1) has them, of what the path leads to.
  virtual absl::StatusOr<std::uint32_t> FileMode(std::string_view absolute_path) = 0;

  // Every message of the answer. An error the kernel answered with is an ErrnoStatus with its errno. Never ask
  // NETLINK_RDMA before /sys/class/infiniband was seen: opening that socket would load ib_core. Nor
  // NETLINK_NETFILTER before nf_tables was seen in the kernel: see collectors/firewall/firewall.h.
  virtual absl::StatusOr<std::vector<NetlinkMessage>> Netlink(const NetlinkRequest& request) = 0;

  // SIOCETHTOOL of linux/ethtool.h. `request` is the command's whole struct, its command number first, with
  // room for the answer; returned is the struct as the kernel left it. Commands that are no queries are
  // refused.
  virtual absl::StatusOr<std::vector<std::byte>> Ethtool(const std::string& netdev,
                                                         std::span<const std::byte> request) = 0;

  // `port` counts from 1. Never call the Verbs functions before /sys/class/infiniband_verbs was seen:
  // libibverbs would make the kernel load ib_uverbs.
  virtual absl::StatusOr<VerbsPortAnswer> VerbsPort(const std::string& device, std::uint32_t port) = 0;

  virtual absl::StatusOr<VerbsDeviceAnswer> VerbsDevice(const std::string& device) = 0;

  // All filled slots of all ports of the device.
  virtual absl::StatusOr<std::vector<VerbsGid>> VerbsGidTable(const std::string& device) = 0;

  // RDMA-CM's defaults of a RoCE port. The kernel shows them only inside a configfs directory that somebody
  // made with mkdir(2); see the real implementation for what is done when there is none.
  virtual absl::StatusOr<RdmaCmAnswer> RdmaCmDefaults(const std::string& device, std::uint32_t port) = 0;

  // Listens on all `netdevs` at once and sends nothing; one answer for each, in their order. It blocks for the
  // whole time unless no netdev can be listened on, and another thread may ask other things meanwhile. The real
  // one lets the netdevs take frames to the LLDP groups for as long.
  virtual std::vector<absl::StatusOr<LldpFrames>> ListenForLldp(const std::vector<std::string>& netdevs,
                                                                const LldpWait& wait) = 0;

  // Listens for writes of DCB settings in this network namespace, and sends nothing. It blocks for the whole
  // time, and another thread may ask other things meanwhile, ListenForLldp too. It takes no privilege; our own
  // process is not among those it names.
  virtual absl::StatusOr<DcbNotices> ListenForDcb(const LldpWait& wait) = 0;

  // The answer is a whole datagram, its transaction 0. Datagrams that are no questions are refused. It blocks
  // for at most two seconds. kUnimplemented when ib_umad is not loaded: nothing loads it.
  virtual absl::StatusOr<std::vector<std::byte>> Mad(const MadRequest& request) = 0;

  // One message to lldpad's client interface, and its answer, as they are (collectors/lldp/lldpad_messages.h).
  // Messages that are no questions are refused. It blocks for at most 300 ms. Never ask before lldpad was seen
  // to run (collectors/lldp/lldp_agents.h): systemd may hold its socket, and would start it.
  virtual absl::StatusOr<std::string> AskLldpad(std::string_view question) = 0;

  // Of the calling process.
  virtual absl::StatusOr<Memlock> MemlockLimit() = 0;
};

}  // namespace rdmaready
