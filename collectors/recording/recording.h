// SPDX-License-Identifier: Apache-2.0
// Recording: every question that the collectors asked of a host, and what was answered. Nothing else is in it:
// what no collector reads is not recorded. A value; format.h writes it down, RecordedHost serves it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/recording/answer_log.h"

namespace rdmaready {

struct EthtoolQuestion {
  std::string netdev{};
  std::vector<std::byte> request{};

  auto operator<=>(const EthtoolQuestion&) const = default;
};

struct LinesQuestion {
  std::string path{};
  std::vector<std::string> words{};

  auto operator<=>(const LinesQuestion&) const = default;
};

struct PortQuestion {
  std::string device{};
  std::uint32_t port = 0;

  auto operator<=>(const PortQuestion&) const = default;
};

struct NetlinkRequestLess {
  bool operator()(const NetlinkRequest& a, const NetlinkRequest& b) const {
    return std::tie(a.protocol, a.type, a.dump, a.payload) < std::tie(b.protocol, b.type, b.dump, b.payload);
  }
};

struct Recording {
  std::string host{};       // as the one who saved it named it; may be empty
  std::string hostname{};   // as the host names itself
  std::string kernel{};     // its release
  std::string rdmaready{};  // the version that asked: a newer one may ask more
  std::int64_t recorded_unix_ns = 0;

  AnswerLog<std::string, std::string> files{};  // by path, like the next three
  AnswerLog<std::string, std::vector<std::string>> directories{};
  AnswerLog<std::string, std::string> links{};
  AnswerLog<std::string, std::uint32_t> modes{};
  AnswerLog<LinesQuestion, std::vector<std::string>> lines{};
  AnswerLog<NetlinkRequest, std::vector<NetlinkMessage>, NetlinkRequestLess> netlink{};
  AnswerLog<EthtoolQuestion, std::vector<std::byte>> ethtool{};
  AnswerLog<PortQuestion, VerbsPortAnswer> verbs_ports{};
  AnswerLog<std::string, VerbsDeviceAnswer> verbs_devices{};  // by device, like the next one
  AnswerLog<std::string, std::vector<VerbsGid>> verbs_gids{};
  AnswerLog<PortQuestion, RdmaCmAnswer> rdma_cm{};
  AnswerLog<std::string, LldpFrames> lldp{};  // by netdev
  AnswerLog<std::monostate, DcbNotices> dcb_notices{};
  AnswerLog<MadRequest, std::vector<std::byte>> mads{};
  AnswerLog<std::string, std::string> lldpad{};  // by question
  AnswerLog<std::monostate, Memlock> memlock{};
};

// What one recording may hold. More is left out while recording (and reads as not collected), and refused while
// loading.
inline constexpr std::size_t kMaxRecordedAnswers = 50'000;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxRecordingBytes = std::size_t{32} << 20;

}  // namespace rdmaready
