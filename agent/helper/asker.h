// SPDX-License-Identifier: Apache-2.0
// HelperAsker: the agent's side of a helper.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/helper/frame.h"
#include "agent/helper/verb.h"
#include "api/base/clock.h"

namespace rdmaready::helper {

// What came of a question to a helper.
struct HelperAnswer {
  // OK when the helper was reached and is one that is believed. Else why not, with what a person can do.
  absl::Status reached{};
  // The helper's answer, or its error. kDeadlineExceeded and kCancelled by the wait, kUnavailable when it left
  // before it answered, kInternal for what is no answer. Of no meaning where it was not reached.
  absl::StatusOr<Json> answer{absl::UnknownError("not asked")};
};

struct AskerOptions {
  ProgressLimits progress{};
  std::chrono::milliseconds last_words = std::chrono::seconds(1);
  Clock* clock = &RealClock();
};

// Any thread may ask, several at once: each question has a connection of its own, so one that a helper does not
// answer costs that question only, and a helper that left is started again by the next. Closing the connection,
// which the end of `wait` does, stops the helper's work. When `wait` is told to stop, what the helper has until
// then is still taken, for `last_words`.
class HelperAsker {
 public:
  // `name` is "reader" for rdmaready-reader at DIRECTORY/reader.sock.
  HelperAsker(std::string_view directory, std::string_view name, AskerOptions options = {});

  // `progress` hears how far the helper is, on this thread.
  HelperAnswer Ask(
      std::string_view verb, const Json& arguments, const TimedWait& wait,
      const Progress& progress = [](std::string_view) {}) const;

  // Whether its socket is there, without asking it. kUnavailable: it is not running, as HelperAnswer::reached
  // says.
  absl::Status IsThere() const;

  const std::string& program() const { return program_; }

 private:
  // Connected to somebody who is believed: root, or our own user.
  absl::StatusOr<UniqueFd> Reach(const TimedWait& wait) const;

  std::string path_;
  std::string program_;
  AskerOptions options_;
};

}  // namespace rdmaready::helper
