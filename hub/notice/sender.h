// SPDX-License-Identifier: Apache-2.0
// NoticeSender: one attempt to bring one notice to one receiver.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "api/base/clock.h"
#include "hub/notice/notice_file.h"
#include "rdmaready/v1/notice.pb.h"

namespace rdmaready::hub {

struct SendResult {
  enum class Kind { kTaken, kLater, kRefused };  // kRefused: this notice, for good
  Kind kind = Kind::kLater;
  std::string words{};  // "204", "connection refused": never an URL, a secret or an answer's body
  std::chrono::seconds not_before{0};  // the receiver asked to be left alone for so long
};

struct SendLimits {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds total{15'000};
  std::size_t answer_bytes = 16 * 1024;
};

class NoticeSender {
 public:
  virtual ~NoticeSender() = default;
  // Blocks for at most SendLimits::total, and ends early when it is stopped. One thread at a time.
  virtual SendResult Send(const v1::Notice& notice, const std::stop_token& stop) = 0;
};

// `hub` is how this hub calls itself.
std::unique_ptr<NoticeSender> MakeSender(const NoticeReceiver& receiver, const NoticeOptions& options,
                                         const std::string& hub, const SendLimits& limits = {},
                                         Clock& clock = RealClock());

}  // namespace rdmaready::hub
