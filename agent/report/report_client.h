// SPDX-License-Identifier: Apache-2.0
// ReportClient: one host's end of rdmaready.v1.Ingest. It keeps one stream to the hub, tells it each period by
// which digest the host's state is known, and sends the state itself when the hub has another one. It has no
// thread: gRPC's callbacks and Tick drive it, so that one process can be one host, or, as a simulator,
// thousands.
//
// Threads: any thread may call. `wake` is called without a lock held, on any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/version.h"

namespace grpc {
class Channel;
}

namespace rdmaready::v1 {
class FromHub;
class HubWelcome;
class ReportAck;
}  // namespace rdmaready::v1

namespace rdmaready::report {

using TimePoint = std::chrono::steady_clock::time_point;

// Who reports, as the hub is told.
struct ReportingHost {
  std::string host_id{};
  std::string hostname{};
  std::string machine_id{};  // SHA-256 of it
  std::string boot_id{};
  std::string run_id{};
  std::string agent_version{};
  std::uint32_t api_revision = kIngestRevision;  // another one: for a simulator
};

// What the host is at a moment.
struct HostState {
  std::string digest{};      // 32 octets
  std::string facts_zlib{};  // rdmaready.v1.Facts
  std::uint32_t facts_bytes = 0;
  std::int64_t read_unix_ns = 0;
};

// What live tests of it showed.
struct HostPast {
  std::string digest{};  // 32 octets
  std::string zlib{};    // rdmaready.v1.Past
  std::uint32_t bytes = 0;
  std::size_t tests = 0;  // 0: it is not told, unless the hub has some
};

struct ReportOptions {
  ReportingHost host{};
  std::function<std::shared_ptr<grpc::Channel>()> channel{};  // made when the stream is opened first
  std::function<void()> wake{};                               // Tick has something to do
  // The state that was offered last, with the readings of now; null: that one will do. With the client's mutex
  // held.
  std::function<std::shared_ptr<const HostState>()> fresh{};
  // Of an enrolled host: SHA-256 of the revocation lists that it has, and what the hub passes on; both or none.
  // Any thread, without a lock held.
  std::function<std::string()> lists_sha256{};
  std::function<void(const std::string& pem)> heard_lists{};
  std::function<void(std::chrono::nanoseconds)>
      acked{};                             // how long a report waited; with the client's mutex held
  std::chrono::nanoseconds clock_error{};  // of the host's wall clock: for a simulator
  // The stream ends whose welcome or acknowledgement takes longer: a hub that has thousands to greet.
  std::chrono::milliseconds answer_within{60'000};
  std::uint64_t seed = 0;
  EventSink events{};
  Clock* clock = &RealClock();
};

struct ReportCounts {
  std::uint64_t streams = 0;  // opened
  std::uint64_t sent = 0;
  std::uint64_t with_facts = 0;
  std::uint64_t with_past = 0;
  std::uint64_t kept = 0;
  std::uint64_t put_off = 0;
  std::uint64_t refused = 0;  // states that the hub does not take, and streams with one of another revision
  std::chrono::nanoseconds slowest_ack{};
};

class ReportStream;

class ReportClient : public std::enable_shared_from_this<ReportClient> {
 public:
  explicit ReportClient(ReportOptions options);
  ~ReportClient();

  // The newest state; an older one that was not sent is forgotten.
  void Offer(std::shared_ptr<const HostState> state);

  // The same of its past, which goes with the next state that the hub has, or is sent. A hub of before takes
  // none.
  void OfferPast(std::shared_ptr<const HostPast> past);

  // Does what is due, and says when something will be next. May be called early.
  TimePoint Tick(TimePoint now);

  // When the next report is due, whatever the state is by then; far away while there is no stream.
  TimePoint DueAt() const;

  // The stream, if there is one, ends and another is opened on a channel that is made anew: this host's
  // certificate is another one.
  void Reconnect();

  // Ends the stream; nothing is sent from then on.
  void Stop();
  // The same, and waits at most so long until no callback runs: what the options name may be destroyed then.
  void StopAndWait(std::chrono::milliseconds at_most);

  bool connected() const;
  bool greeting() const;  // a stream was opened, and the hub did not answer so far
  // The digest that the hub acknowledged last, 32 octets; empty: none in this stream.
  std::string kept_digest() const;
  // The same of its past.
  std::string kept_past() const;
  ReportCounts Counts() const;
  // Why there is no stream; empty: there is one, or there was no try yet.
  std::string trouble() const;
  std::chrono::seconds period() const;

 private:
  friend class ReportStream;
  enum class Phase { kIdle, kGreeting, kOpen, kWaiting, kStopped };

  // From the stream, on gRPC's threads.
  void Received(const ReportStream* from, const v1::FromHub& message);
  void Ended(const ReportStream* from, int code, const std::string& words);

  // What is to be done with a stream once the mutex is let go of: gRPC may call back from within.
  struct Act;
  static void Do(Act act);

  // All below with the mutex held.
  TimePoint Next(TimePoint now, Act& act);
  Act Open(TimePoint now);
  Act Send(TimePoint now);
  void TakeFreshState();
  Act Welcomed(const v1::HubWelcome& welcome, TimePoint now);
  void GoneWithout(const std::string& why, int code);
  void Acknowledged(const v1::ReportAck& ack, TimePoint now);
  void RefuseState(const std::string& why);
  void SetPeriod(std::uint32_t seconds);
  bool StateIsNews() const;
  bool PastIsNews() const;
  void PastAnswered(const v1::ReportAck& ack);
  void RefusePast(const std::string& digest, const std::string& why);
  std::chrono::milliseconds BackOff(int code);
  std::chrono::milliseconds Around(std::chrono::milliseconds time);
  std::int64_t UnixNow() const;

  const ReportOptions options_;
  const std::shared_ptr<const void> in_use_ = std::make_shared<int>();  // each stream has a copy
  mutable std::mutex mutex_;
  Phase phase_ = Phase::kIdle;
  std::shared_ptr<grpc::Channel> channel_{};
  std::shared_ptr<ReportStream> stream_{};
  std::shared_ptr<const HostState> state_{};
  std::shared_ptr<const HostState> sent_{};  // awaits its ack
  std::string kept_digest_{};
  std::string refused_digest_{};  // not to be sent again
  bool facts_wanted_ = false;
  std::size_t facts_max_bytes_ = std::size_t{512} * 1024;
  std::shared_ptr<const HostPast> past_{};
  std::shared_ptr<const HostPast> sent_past_{};  // awaits its ack
  std::string kept_past_{};
  std::string refused_past_{};
  std::size_t past_max_bytes_ = 0;  // 0: the hub takes none
  std::optional<TimePoint>
      early_since_{};  // when the period is over before whose end one was sent for its past
  std::uint64_t sequence_ = 0;
  std::chrono::seconds period_{300};
  TimePoint next_{};        // kIdle: when to open; kOpen: when the period is over; else: how long is waited
  TimePoint not_before_{};  // kOpen: the hub asked for patience
  TimePoint sent_at_{};
  int failures_ = 0;  // in a row
  std::string trouble_{};
  std::mt19937_64 random_;
  ReportCounts counts_{};
};

}  // namespace rdmaready::report
