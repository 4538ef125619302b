// SPDX-License-Identifier: Apache-2.0
// What is listened for: LLDP frames, and the kernel's notices of DCB settings that were written. Nothing is
// sent. It blocks for the whole time, and another thread may ask other things meanwhile.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions/kind_list.h"

namespace rdmaready {

struct LldpWait {
  std::chrono::milliseconds longest{};
  std::stop_token stop{};  // ends it early; what was heard until then is the answer
};

// A frame as it passed a netdev, Ethernet header first. One that comes again, byte for byte, is counted.
struct LldpFrame {
  bool sent_here = false;  // by an agent of this host
  std::uint32_t times = 1;
  std::uint32_t first_ms = 0;  // since listening began
  std::uint32_t last_ms = 0;
  std::vector<std::byte> bytes{};

  bool operator==(const LldpFrame&) const = default;
  void Fields(auto& line) {
    line("sent_here", sent_here, "times", times, "first_ms", first_ms, "last_ms", last_ms, "bytes", bytes);
    line.Shows(bytes);
  }
};

struct LldpFrames {
  std::uint32_t listened_ms = 0;
  std::uint32_t left_out = 0;       // frames beyond what is kept
  std::vector<LldpFrame> frames{};  // in the order they came first

  bool operator==(const LldpFrames&) const = default;
  void Fields(auto& line) { line("listened_ms", listened_ms, "left_out", left_out, "frames", frames); }
};

// LLDP frames on one netdev; several netdevs are listened on at once by HostReader::AskTogether. The running
// host lets the netdev take frames to the LLDP groups for as long.
struct LldpQuestion {
  using Answer = LldpFrames;
  static constexpr const char* kFile = "lldp.jsonl";

  std::string netdev{};
  LldpWait wait{};  // no part of the question: a recorded answer is found whatever it is

  std::strong_ordering operator<=>(const LldpQuestion& other) const { return netdev <=> other.netdev; }
  bool operator==(const LldpQuestion& other) const { return netdev == other.netdev; }
  void Fields(auto& line) { line("netdev", netdev); }
  std::string What() const { return "listen for LLDP on " + netdev; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// A process, as /proc names it.
struct ProcessName {
  std::uint32_t pid = 0;
  std::string name{};  // of /proc/PID/comm, without its end of line

  bool operator==(const ProcessName&) const = default;
  void Fields(auto& line) { line("pid", pid, "name", name); }
};

// What the kernel told the group RTNLGRP_DCB.
struct DcbNotice {
  std::uint16_t type = 0;                // RTM_SETDCB, RTM_GETDCB
  std::uint32_t sequence = 0;            // nlmsg_seq of the request that it follows
  std::uint32_t at_ms = 0;               // since listening began
  std::vector<std::byte> payload{};      // struct dcbmsg first
  std::vector<ProcessName> newcomers{};  // with a socket of NETLINK_ROUTE, which they had not at the beginning

  bool operator==(const DcbNotice&) const = default;
  void Fields(auto& line) {
    line("type", type, "sequence", sequence, "at_ms", at_ms, "payload", payload);
    line.Shows(payload);
    line("newcomers", newcomers);
  }
};

struct DcbNotices {
  std::uint32_t listened_ms = 0;
  bool lost = false;                     // there were more than the kernel, or we, could keep
  std::vector<ProcessName> residents{};  // with a socket of NETLINK_ROUTE when listening began
  std::vector<DcbNotice> notices{};      // in their order

  bool operator==(const DcbNotices&) const = default;
  void Fields(auto& line) {
    line("listened_ms", listened_ms, "lost", lost, "residents", residents, "notices", notices);
  }
};

// Writes of DCB settings in this network namespace. It takes no privilege; our own process is not among those
// that it names.
struct DcbNoticesQuestion {
  using Answer = DcbNotices;
  static constexpr const char* kFile = "dcb_notices.jsonl";

  LldpWait wait{};  // no part of the question

  std::strong_ordering operator<=>(const DcbNoticesQuestion&) const { return std::strong_ordering::equal; }
  bool operator==(const DcbNoticesQuestion&) const { return true; }
  void Fields(auto& line) { line.Word("group", "dcb"); }
  std::string What() const { return "listen for DCB"; }
  absl::StatusOr<Answer> AskThisHost() const;
};

using ListeningQuestions = KindList<LldpQuestion, DcbNoticesQuestion>;

}  // namespace rdmaready
