// SPDX-License-Identifier: Apache-2.0
// Reporter: this agent's reports to the hub of its fleet. One thread; it has the host read when a report is
// due, or when something is said to have changed, and leaves the rest to ReportClient.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/report/past_pace.h"
#include "agent/report/report_client.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/client/tls.h"
#include "api/model/baseline.h"
#include "api/model/facts.h"

namespace rdmaready::report {

struct ReporterOptions {
  std::string hub{};              // HOST[:PORT], as in api/client/address.h
  TlsFiles tls{};                 // of this agent; none: plain text
  bool insecure = false;          // allow plain text off loopback
  std::string state_directory{};  // where the host's id is kept that a host without certificate has
  std::string agent_version{};
  EventSink events{};
  // As in ReportOptions.
  std::function<std::string()> lists_sha256{};
  std::function<void(const std::string& pem)> heard_lists{};
  // Has the host read and judged; the result comes by Checked, or not at all. On the reporter's thread.
  std::function<void(std::stop_token)> check{};
  // What live tests showed last, and in the days before. On the reporter's thread; null: none is told.
  std::function<absl::StatusOr<std::vector<CaseBaseline>>()> past{};
  Clock* clock = &RealClock();
};

class Reporter {
 public:
  // kInvalidArgument: the address. kFailedPrecondition: plain text off loopback. Errors of LoadTls, and of the
  // file with the host's id.
  static absl::StatusOr<std::unique_ptr<Reporter>> Start(ReporterOptions options);
  // Waits for a check of its own that runs.
  ~Reporter();

  // A check of the whole host by the agent's own profile was made. `digest`: 64 hexadecimal digits of facts and
  // outcomes. Of two checks the later one is told, by `read_steady_ns`: the wall clock may have been set back
  // between them. Any thread.
  void Checked(const Facts& facts, const std::string& digest, std::int64_t read_unix_ns,
               std::int64_t read_steady_ns);

  // This host has another certificate: reports go on by it. Any thread.
  void Reconnect() { client_->Reconnect(); }

  // A live test was made and kept: its past is told again, within seconds unless reading it takes long, however
  // many follow. Any thread.
  void Tested();

  // Something changed: the host is read again, at most once a second. Any thread.
  void LookAgain();

 private:
  Reporter(ReporterOptions options, ReportingHost host);
  void Run(const std::stop_token& stop);
  bool WantsCheck(TimePoint now);
  void TellPast(TimePoint now);
  void Wake();
  // Nothing is vouched for that nobody has looked at for too long: then the hub hears nothing, which is the
  // truth.
  void ForgetWhatIsOld(TimePoint now);
  TimePoint NextLook() const;

  // What wakes the thread; gRPC may still do so when the reporter is gone.
  struct Waking {
    std::mutex mutex;
    std::condition_variable_any woken;
    bool wake = false;
  };

  // The facts of the last check, for when the hub asks for them: most are never packed. The client asks for
  // them with its own mutex held, so nobody calls it with this one.
  struct Newest {
    std::mutex mutex;
    std::optional<Facts> facts;
    std::string digest;
    std::int64_t read_unix_ns = 0;
    std::int64_t read_steady_ns = 0;
  };
  static std::shared_ptr<const HostState> PackNewest(Newest& newest);

  const ReporterOptions options_;
  const std::shared_ptr<Newest> newest_ = std::make_shared<Newest>();
  const std::shared_ptr<Waking> waking_ = std::make_shared<Waking>();
  std::shared_ptr<ReportClient> client_;
  mutable std::mutex mutex_;  // guards what follows
  bool look_again_ = false;
  std::optional<TimePoint> tried_at_{};   // when a check was asked for last
  std::optional<TimePoint> looked_at_{};  // when one was made last
  std::int64_t read_steady_ns_ = 0;       // of the state that was offered last
  std::string digest_{};                  // its digest; empty: none is offered
  PastPace pace_{};                       // of reading the past
  std::jthread thread_;
};

}  // namespace rdmaready::report
