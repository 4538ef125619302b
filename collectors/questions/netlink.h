// SPDX-License-Identifier: Apache-2.0
// Questions by netlink, and by the ioctl that ethtool used before it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions/kind_list.h"

namespace rdmaready {

// One message of an answer, without struct nlmsghdr and without acknowledgements.
struct NetlinkMessage {
  std::uint16_t type = 0;
  std::vector<std::byte> payload{};

  bool operator==(const NetlinkMessage&) const = default;
  void Fields(auto& line) {
    line("type", type, "payload", payload);
    line.Shows(payload);
  }
};

// One question to the kernel. `payload` starts after struct nlmsghdr: the protocol's own header, then
// attributes. The answer is every message of it; an error that the kernel answered with is an ErrnoStatus.
// Never ask NETLINK_RDMA before /sys/class/infiniband was seen: opening that socket would load ib_core. Nor
// NETLINK_NETFILTER before nf_tables was seen in the kernel: see collectors/firewall/firewall.h.
struct NetlinkRequest {
  using Answer = std::vector<NetlinkMessage>;
  static constexpr const char* kFile = "netlink.jsonl";

  int protocol = 0;        // NETLINK_ROUTE, NETLINK_RDMA
  std::uint16_t type = 0;  // RTM_GETLINK, ...
  bool dump = false;       // NLM_F_DUMP: all objects; otherwise one object
  std::vector<std::byte> payload{};

  auto operator<=>(const NetlinkRequest&) const = default;
  void Fields(auto& line) {
    line("protocol", protocol, "type", type);
    line.Note("what", Command());
    line("dump", dump, "payload", payload);
    line.Shows(payload);
  }
  static void Answered(auto& line, Answer& answer) { line("messages", answer); }
  std::string What() const;
  std::string Command() const;  // "rtnetlink GETLINK": for people who read a recording
  absl::StatusOr<Answer> AskThisHost() const;
};

// SIOCETHTOOL of linux/ethtool.h. `request` is the command's whole struct, its command number first, with room
// for the answer; the answer is the struct as the kernel left it. Commands that are no queries are refused.
struct EthtoolQuestion {
  using Answer = std::vector<std::byte>;
  static constexpr const char* kFile = "ethtool.jsonl";

  std::string netdev{};
  std::vector<std::byte> request{};

  auto operator<=>(const EthtoolQuestion&) const = default;
  void Fields(auto& line) { line("netdev", netdev, "request", request); }
  static void Answered(auto& line, Answer& answer) {
    line("answer", answer);
    line.Shows(answer);
  }
  std::string What() const { return "ask ethtool about " + netdev; }
  absl::StatusOr<Answer> AskThisHost() const;
};

using NetlinkQuestions = KindList<NetlinkRequest, EthtoolQuestion>;

}  // namespace rdmaready
