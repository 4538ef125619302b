// SPDX-License-Identifier: Apache-2.0
// StreamChannel: the PeerChannel of an agent, whose other end is an agent behind the caller of TestPeer.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "agent/server/call_writer.h"
#include "agent/transfer/peer_channel.h"
#include "api/base/clock.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

class StreamChannel : public PeerChannel {
 public:
  using Stream = grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>;

  // Reads `stream` on a thread of its own from here on; nobody else may. `writer` is the stream's, and outlives
  // this. Deadlines are by `clock`.
  StreamChannel(grpc::ServerContext& context, Stream& stream, CallWriter<v1::TransferEvent>& writer,
                Clock& clock);
  // Waits a moment for the caller to close its side, then cancels the call.
  ~StreamChannel() override;

  absl::Status Send(const PeerMessage& message) override;
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override;
  PeerState Poll() override;

  // Why a relayed message was not taken (agent/request_check.h), which closed the channel; OK when all were.
  absl::Status Refusal();

 private:
  void ReadAll();

  grpc::ServerContext& context_;
  Stream& stream_;
  CallWriter<v1::TransferEvent>& writer_;
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<PeerMessage> queue_;
  bool closed_ = false;
  absl::Status refusal_ = absl::OkStatus();
  std::thread reader_;
};

}  // namespace rdmaready
