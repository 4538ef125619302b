// SPDX-License-Identifier: Apache-2.0
// Edge: an SMB Direct connection on a RdmaLink: does what the Connection asks for, and tells it what happens.
//
// It is made before its link is connected; SettingsOf() gives what the link must be made with, and
// LinkSettings::before_connected must call Prepare. Once connected: Start, then Step again and again, from one
// thread. Nothing is copied: messages and RDMA requests lie in memory that was lent to the edge.
//
// Its own memory is bounded by the Settings: the receives, 32 bytes for each send under way, and one message
// under reassembly. A message that asks for a remote invalidation is refused where the link's device
// knows none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/buffer.h"
#include "agent/link/link.h"
#include "agent/smbdirect/connection.h"

namespace rdmaready::smbdirect {

// The layer above, called within Step, Start and the requests. It may make requests of the edge. Any may
// be empty.
struct Upper {
  std::function<void(const Agreement&)> established{};
  // The peer's send took away the window of this key; called before the message it came with is delivered.
  std::function<void(std::uint32_t token)> invalidated{};
  std::function<void(Bytes message)> deliver{};  // good while the call lasts
  std::function<void(std::uint64_t cookie)> submitted{};
  std::function<void(std::uint64_t cookie)> moved{};
};

// As RdmaLink::Wait. A failure that is neither kCompletion nor kDisconnected is passed through Step unchanged
// and leaves the connection as it is: the waiting caller gave up.
using WaitForCompletions =
    std::function<absl::StatusOr<std::size_t>(std::span<Completion> completions, TimePoint deadline)>;

class Edge {
 public:
  // RDMA reads under way at once, as far as both devices can.
  static constexpr std::uint32_t kMaxReadDepth = 16;

  // What a link for such an edge holds at once; the rest of the settings is the caller's.
  static LinkSettings SettingsOf(const Settings& settings);

  // What Prepare registers.
  static std::uint64_t PinnedBytes(const Settings& settings);

  // `settings` is valid. `link` outlives the edge. `wait` may be empty: the link's own.
  Edge(Role role, const Settings& settings, RdmaLink& link, Upper upper, WaitForCompletions wait = {});

  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;

  // Registers the edge's memory and posts the first receive. kSetup when that cannot be.
  absl::Status Prepare();

  // `memory`, registered with the link, may be used in requests. It outlives the edge's connection.
  void Lend(const Buffer& memory);

  // The link is connected: the negotiation begins.
  absl::Status Start();

  // Waits until something completes, the protocol's own time is up, or `until`; and does what follows from it.
  // Once the connection is over: why, for ever (kDisconnected: the peer left or this end closed; kCompletion:
  // a work request failed; kStalled: the protocol's times; kRejected: the negotiation; kCorrupt: the peer
  // broke the protocol).
  absl::Status Step(TimePoint until);

  // As those of Connection; InvalidArgument also for memory that was not lent, or for an invalidation where the
  // link's device knows none. Posted at the end of the Step or the Together they are called in, else at once.
  absl::Status Submit(const Message& message);
  absl::Status ReadFromPeer(std::span<std::byte> local, std::span<const BufferDescriptor> remote,
                            std::uint64_t offset, std::uint64_t cookie);
  absl::Status WriteToPeer(Bytes local, std::span<const BufferDescriptor> remote, std::uint64_t offset,
                           std::uint64_t cookie);

  // What is asked for within `requests` is handed to the device together, behind it.
  template <class Requests>
  absl::Status Together(Requests&& requests) {
    if (gathering_) return requests();
    gathering_ = true;
    const absl::Status status = requests();
    gathering_ = false;
    Flush();
    return status;
  }

  // Disconnects.
  void Close();

  const Connection& connection() const { return connection_; }

 private:
  struct Lent {
    Bytes bytes{};
    MemoryId memory{};
  };

  // Work requests of the send side, oldest first, each with an id one higher than that of the one before.
  struct UnderWay {
    std::deque<Work> works{};
    std::uint64_t first_id = 0;

    std::uint64_t Add(Work work) {
      works.push_back(work);
      return first_id + works.size() - 1;
    }
  };

  UnderWay& Among(Work work) { return work == Work::kRead ? reads_ : others_; }
  absl::StatusOr<Slice> SliceOf(Bytes bytes) const;
  absl::Status CheckLent(Bytes bytes) const;
  absl::Status CheckInvalidate(const std::optional<std::uint32_t>& token) const;
  void Report(const Completion& completion, TimePoint now);
  void ReportSendSide(const Completion& completion);
  void Lose(const absl::Status& why);
  // After whatever was asked of the connection.
  void Follow();
  void Execute();
  void Flush();
  absl::Status Do(const PostReceive& action);
  absl::Status Do(const Send& action);
  absl::Status Do(const RdmaRead& action);
  absl::Status Do(const RdmaWrite& action);
  absl::Status Do(const Established& action);
  absl::Status Do(const Deliver& action);
  absl::Status Do(const Submitted& action);
  absl::Status Do(const RdmaComplete& action);
  absl::Status Do(const SetTimer& action);
  absl::Status Do(const Disconnect& action);
  absl::Status Queue(Work work, Bytes local, std::uint64_t address, std::uint32_t token);

  const Settings settings_;
  RdmaLink& link_;
  const Upper upper_;
  const WaitForCompletions wait_;
  Connection connection_;
  std::unique_ptr<Buffer> receives_{};
  std::unique_ptr<Buffer> heads_{};
  std::vector<Lent> lent_{};

  Actions actions_{};
  std::size_t executed_ = 0;
  bool executing_ = false;
  bool gathering_ = false;               // in a Step, or in Together
  std::vector<WorkRequest> requests_{};  // executed, not yet handed to the link
  UnderWay reads_{};
  UnderWay others_{};
  TimePoint timer_ = TimePoint::max();
  absl::Status lost_{};    // what the link said
  absl::Status status_{};  // why it is over
};

}  // namespace rdmaready::smbdirect
