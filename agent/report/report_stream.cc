// SPDX-License-Identifier: Apache-2.0
#include "agent/report/report_stream.h"

#include <utility>

namespace rdmaready::report {

void ReportStream::Begin(const std::shared_ptr<grpc::Channel>& channel, v1::FromAgent first) {
  self_ = shared_from_this();
  stub_ = v1::Ingest::NewStub(channel);
  out_ = std::move(first);
  writing_ = true;
  stub_->async()->Attach(&context_, this);
  AddHold();  // what is sent comes from outside of gRPC's callbacks; let go of when nothing can be read any
              // more
  StartWrite(&out_);
  StartRead(&in_);
  StartCall();
}

void ReportStream::Send(v1::FromAgent message) {
  const std::lock_guard lock(mutex_);
  if (over_) return;
  if (writing_) {
    waiting_ = std::move(message);
    return;
  }
  writing_ = true;
  out_ = std::move(message);
  StartWrite(&out_);
}

void ReportStream::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  out_ = {};                 // facts are large
  if (!ok || over_) return;  // of what is not written reading ends, too
  if (!waiting_) return;
  writing_ = true;
  out_ = *std::exchange(waiting_, std::nullopt);
  StartWrite(&out_);
}

void ReportStream::OnReadDone(bool ok) {
  if (!ok) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(over_, true)) RemoveHold();
    return;
  }
  const v1::FromHub message = std::exchange(in_, {});
  StartRead(&in_);
  if (const std::shared_ptr<ReportClient> client = client_.lock()) client->Received(this, message);
}

void ReportStream::OnDone(const grpc::Status& status) {
  const std::shared_ptr<ReportStream> last = std::exchange(self_, nullptr);
  if (const std::shared_ptr<ReportClient> client = client_.lock())
    client->Ended(this, status.error_code(), status.error_message());
}

}  // namespace rdmaready::report
