// SPDX-License-Identifier: Apache-2.0
// ChangeBook: what this agent has told of the changes of its host, so that the history says once what became of
// each, also of one that the applier took back by itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/change.h"
#include "api/model/fact.h"

namespace rdmaready {

// "change 1a2b3c4d: confirmed, 5 settings, asked for by anna (uid 1000 ...)"; with the reason, where there is
// one.
std::string ChangeLine(const Change& change);

// Those that are open and those that did not go back, and the applier's notices.
ApplyState StateOf(const ApplierStatus& status);

// Threads: every method may be called from any thread.
class ChangeBook {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Ask = std::function<absl::StatusOr<ApplierStatus>()>;

  // `keep` takes a line for the history. `trace`: whether something on this host shows that it has an applier,
  // or had one; empty: nothing does.
  explicit ChangeBook(std::function<void(const std::string&)> keep, std::function<bool()> trace = {})
      : keep_(std::move(keep)), trace_(std::move(trace)) {}

  // Keeps a line, unless the state of the change is the one that was told last, or older: what has ended does
  // not come back. One of which nothing is settled yet (writing, proving) is only remembered.
  void Note(const Change& change);

  // The answer of the applier: asked at most once in a short while and after each noted change, by one caller
  // at a time. kUnsupported: there is no applier, and no trace of one; kFailed: it does not answer.
  Fact<ApplyState> State(const Ask& ask, TimePoint now);

  // What is noted, and all of its changes told.
  void Heard(const ApplierStatus& status);

 private:
  void NoteLocked(const Change& change);

  const std::function<void(const std::string&)> keep_;
  const std::function<bool()> trace_;
  std::mutex asking_;  // held while the applier is asked; guards what follows
  std::optional<Fact<ApplyState>> last_{};
  TimePoint asked_{};
  std::uint64_t asked_after_ = 0;  // noted_ as it was when the applier was asked
  bool answered_ = false;          // ever
  std::atomic<std::uint64_t> noted_ = 0;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, ChangeState> told_{};
};

}  // namespace rdmaready
