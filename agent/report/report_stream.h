// SPDX-License-Identifier: Apache-2.0
// ReportStream: one call of rdmaready.v1.Ingest.Attach, one message on its way at a time. It holds itself until
// the call is over, and tells its client, as long as there is one.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>

#include "agent/report/report_client.h"
#include "rdmaready/v1/ingest.grpc.pb.h"

namespace rdmaready::report {

class ReportStream final : public grpc::ClientBidiReactor<v1::FromAgent, v1::FromHub>,
                           public std::enable_shared_from_this<ReportStream> {
 public:
  // `in_use` is let go of when gRPC is done with this stream, and so with all that its client calls.
  ReportStream(std::weak_ptr<ReportClient> client, std::shared_ptr<const void> in_use)
      : in_use_(std::move(in_use)), client_(std::move(client)) {}

  // Opens the call with this message.
  void Begin(const std::shared_ptr<grpc::Channel>& channel, v1::FromAgent first);
  // The message before it was answered.
  void Send(v1::FromAgent message);
  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  const std::shared_ptr<const void> in_use_;  // the first member: it is destroyed last
  std::weak_ptr<ReportClient> client_;
  std::shared_ptr<ReportStream> self_{};  // until OnDone
  std::unique_ptr<v1::Ingest::Stub> stub_{};
  grpc::ClientContext context_{};
  v1::FromAgent out_{};
  v1::FromHub in_{};
  std::recursive_mutex mutex_;  // gRPC may call back from within what is started
  bool over_ = false;           // no more may be written
  bool writing_ = false;        // `out_` is with gRPC
  std::optional<v1::FromAgent>
      waiting_{};  // an answer may be read before it is told that its question was written
};

}  // namespace rdmaready::report
