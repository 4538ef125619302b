// SPDX-License-Identifier: Apache-2.0
// IngestService: rdmaready.v1.Ingest. One stream an agent, one message of it at a time: the next is read when
// the last was answered, so that an agent holds no more of the hub's memory than one report.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "hub/enrol/signed_lists.h"
#include "hub/ingest/host_book.h"
#include "hub/ingest/ingest_counts.h"
#include "hub/ingest/keeper.h"
#include "rdmaready/v1/ingest.grpc.pb.h"

namespace rdmaready::hub {

struct IngestOptions {
  std::string hub_name{};
  std::chrono::seconds period{300};
  std::size_t most_streams = 20'000;
  bool tls = false;  // then the certificate says who reports, and else the host itself
  // Why a certificate, with those that came with it, is refused now; empty: it is not. Null: none is ever
  // revoked.
  std::function<std::string(const std::string& pem, const std::string& others_pem)> why_refused{};
  // What enrolled agents are told of the revoked, when they come and when it changes. Null: nothing. Any
  // thread.
  std::function<std::shared_ptr<const SignedLists>()> lists{};
  // Why a host is of this fleet no more, whatever its certificate says; empty: it is. Null: none ever leaves.
  std::function<std::string(const std::string& host_id)> why_gone{};
  Clock* clock = &RealClock();
  EventSink events{};
};

class IngestService final : public v1::Ingest::CallbackService {
 public:
  // What is named outlives it; no stream is left when it is destroyed: the server was shut down.
  IngestService(IngestOptions options, HostBook& book, Keeper& keeper);

  grpc::ServerBidiReactor<v1::FromAgent, v1::FromHub>* Attach(grpc::CallbackServerContext* context) override;

  IngestCounts Counts() const;

  // Ends streams that have not said who they are for longer than `patience`. To be called now and then.
  void EndStrangers(std::chrono::milliseconds patience);

 private:
  friend class AgentCall;
  // A stream that has not said hello.
  struct Stranger {
    Clock::TimePoint came{};
    std::weak_ptr<AgentStream> stream{};
  };

  const IngestOptions options_;
  HostBook& book_;
  Keeper& keeper_;
  std::atomic<std::size_t> streams_ = 0;
  std::atomic<std::uint64_t> reports_ = 0;
  std::atomic<std::uint64_t> unchanged_ = 0;
  std::atomic<std::uint64_t> facts_wanted_ = 0;
  std::atomic<std::uint64_t> put_off_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> replaced_ = 0;
  std::mutex mutex_;  // guards what follows
  std::list<Stranger> strangers_{};
};

}  // namespace rdmaready::hub
