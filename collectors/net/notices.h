// SPDX-License-Identifier: Apache-2.0
// What the kernel announces of changes on this host, and how many announcements are kept: not each of them, but
// of what they were. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectors/questions/listening.h"

namespace rdmaready {

// By the group that announces it.
enum class NoticeKind : std::uint8_t {
  kDcb,      // RTNLGRP_DCB: DCB settings were written
  kLink,     // RTNLGRP_LINK: a netdev came, went or changed: name, MTU, carrier, VLAN, bond
  kAddress,  // RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR
  kNetconf,  // RTNLGRP_IPV4_NETCONF: some of the sysctls net.ipv4.conf.NETDEV.* (rp_filter, forwarding, ...)
  kEthtool,  // "monitor" of ethtool's family: pause, private flags, FEC, link modes, rings, ...
  kRdma,     // RDMA_NL_GROUP_NOTIFY, from Linux 6.12 on: a device came or went, or got or lost its netdev
};
inline constexpr std::array<NoticeKind, 6> kNoticeKinds{NoticeKind::kDcb,     NoticeKind::kLink,
                                                        NoticeKind::kAddress, NoticeKind::kNetconf,
                                                        NoticeKind::kEthtool, NoticeKind::kRdma};

// What one message says.
struct HostNotice {
  NoticeKind kind = NoticeKind::kLink;
  std::uint32_t ifindex = 0;  // of the netdev; 0: it is named only, or there is none
  std::string name{};         // of the netdev (kDcb, kLink, kEthtool) or of the RDMA device (kRdma)
  bool gone = false;          // it is no more
  std::uint32_t master = 0;   // of kLink: of what it is a member; 0: of nothing, or not said
  std::uint32_t lower = 0;    // of kLink: what it stands on; 0: nothing, or not said
  // nlmsg_seq and nlmsg_pid of the request that it follows. 0: not told (a driver, the kernel itself, and every
  // change of a link; of kDcb the port id is never told).
  std::uint32_t sequence = 0;
  std::uint32_t port_id = 0;

  bool operator==(const HostNotice&) const = default;
};

// The messages of one datagram of a socket of NETLINK_ROUTE, NETLINK_RDMA, or of ethtool's family of
// NETLINK_GENERIC (`family` is its number). Whatever the bytes are: `broken` when something of them is no whole
// message, and then what stands before it is there.
struct DecodedNotices {
  std::vector<HostNotice> notices{};
  bool broken = false;
};
DecodedNotices DecodeRouteNotices(std::span<const std::byte> datagram);
DecodedNotices DecodeRdmaNotices(std::span<const std::byte> datagram);
DecodedNotices DecodeEthtoolNotices(std::span<const std::byte> datagram, std::uint16_t family);

// All that was announced of one subject since it was last taken.
struct HeardSubject {
  HostNotice last{};
  std::uint64_t times = 0;
  // The requests that they follow, oldest first, repeats in a row once. `all_sequences` is false when there
  // were more than are kept.
  std::vector<std::uint32_t> sequences{};
  bool all_sequences = true;
  // Of kDcb: processes that had just begun and had a routing socket when it was heard, and daemons that write
  // DCB. A guess at the writer: the kernel does not tell.
  std::vector<ProcessName> suspects{};

  bool operator==(const HeardSubject&) const = default;
};

struct HeardNotices {
  std::vector<HeardSubject> subjects{};  // in the order in which their last notice came
  // Of these kinds notices were lost, or there were more subjects than are kept: of everything of that kind
  // anything may have changed, the subjects above included.
  std::vector<NoticeKind> lost{};

  bool empty() const { return subjects.empty() && lost.empty(); }
};

// Keeps what is heard: at most kMostSubjects of each kind, kMostSequences of all, whatever comes. One thread.
class NoticeTable {
 public:
  static constexpr std::size_t kMostSubjects = 256;
  static constexpr std::size_t kMostSequences = 8192;
  static constexpr std::size_t kMostSuspects = 4;  // of one subject

  void Add(const HostNotice& notice, std::span<const ProcessName> suspects = {});
  void Lose(NoticeKind kind);
  // The later of two takings behind the earlier one.
  void Add(const HeardNotices& heard);

  bool empty() const { return subjects_.empty() && lost_.empty(); }
  HeardNotices Take();

 private:
  using Key = std::pair<NoticeKind, std::string>;
  struct Entry {
    HeardSubject subject{};
    std::uint64_t order = 0;
  };

  HeardSubject& SubjectOf(const HostNotice& notice);  // with the notice as its last one
  void AddSequence(std::uint32_t sequence, HeardSubject& subject);
  static void AddSuspects(std::span<const ProcessName> suspects, HeardSubject& subject);

  std::map<Key, Entry> subjects_{};
  std::array<std::size_t, kNoticeKinds.size()> counts_{};
  std::vector<NoticeKind> lost_{};
  std::size_t sequences_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace rdmaready
