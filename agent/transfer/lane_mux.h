// SPDX-License-Identifier: Apache-2.0
// LaneMux: several conversations over one PeerChannel, told apart by PeerMessage::lane.
//
// Each lane is a PeerChannel for one thread of its own. A message for a lane that does not exist, or more of
// them than a conversation has, breaks the protocol: every lane is closed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/transfer/peer_channel.h"

namespace rdmaready {

class LaneMux {
 public:
  // `inner` outlives the mux and is read by nobody else meanwhile; `lanes` is at least 1.
  LaneMux(PeerChannel& inner, std::uint32_t lanes);
  LaneMux(const LaneMux&) = delete;
  LaneMux& operator=(const LaneMux&) = delete;

  PeerChannel& lane(std::uint32_t index) const { return *lanes_[index]; }

 private:
  class Lane;

  void Read(const std::stop_token& stop);
  bool Deliver(PeerMessage message);

  PeerChannel& inner_;
  std::mutex send_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<PeerMessage>> inboxes_;
  bool closed_ = false;
  absl::Status why_ = absl::OkStatus();  // closed_ for another reason than the other end's leaving
  std::vector<std::unique_ptr<PeerChannel>> lanes_{};
  std::jthread reader_;  // last: it ends first
};

}  // namespace rdmaready
