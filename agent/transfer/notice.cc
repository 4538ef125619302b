// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/notice.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// On the wire: three words, little-endian.
struct Notice {
  std::uint64_t sequence = 0;
  std::uint64_t messages = 0;
  std::uint64_t tag = 0;
};
constexpr std::uint32_t kNoticeBytes = sizeof(Notice);

std::uint64_t LittleEndian(std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(value);
  return value;
}

std::uint64_t TagOf(const Pattern& pattern, Role from, const Notice& notice) {
  return pattern.Tag(notice.sequence * 2 + (from == Role::kInitiator ? 0u : 1u), notice.messages);
}

std::string_view Name(Role from) { return from == Role::kInitiator ? "notice" : "credit"; }

}  // namespace

absl::Status NoticeRing::Prepare() {
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> outgoing,
                      Buffer::Make(link_, kNoticeBytes, kSlots, Access::kSendSource));
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> incoming,
                      Buffer::Make(link_, kNoticeBytes, kSlots, Access::kReceiveTarget));
  outgoing_ = std::move(outgoing);
  incoming_ = std::move(incoming);
  for (std::uint64_t i = 0; i < kSlots; ++i) RR_RETURN_IF_ERROR(link_.PostReceive(i, incoming_->slice(i)));
  return absl::OkStatus();
}

absl::Status NoticeRing::Post(std::uint64_t messages) {
  Notice notice{.sequence = posted_, .messages = messages};
  notice.tag = LittleEndian(TagOf(pattern_, role_, notice));
  notice.sequence = LittleEndian(notice.sequence);
  notice.messages = LittleEndian(notice.messages);
  std::memcpy(outgoing_->bytes(posted_).data(), &notice, kNoticeBytes);
  RR_RETURN_IF_ERROR(link_.PostSend(posted_, outgoing_->slice(posted_)));
  messages_[posted_ % kSlots] = messages;
  ++posted_;
  return absl::OkStatus();
}

std::uint64_t NoticeRing::Sent() { return messages_[sent_++ % kSlots]; }

absl::StatusOr<std::uint64_t> NoticeRing::Take(const Completion& completion, std::uint64_t limit) {
  const Role from = role_ == Role::kInitiator ? Role::kResponder : Role::kInitiator;
  if (completion.bytes != kNoticeBytes) {
    return MakeFailure(FailureKind::kCorrupt, fmt::format("{} {} arrived with {} bytes instead of {}",
                                                          Name(from), taken_, completion.bytes, kNoticeBytes));
  }
  Notice notice;
  std::memcpy(&notice, incoming_->bytes(taken_).data(), kNoticeBytes);
  notice = {LittleEndian(notice.sequence), LittleEndian(notice.messages), LittleEndian(notice.tag)};
  if (notice.tag != TagOf(pattern_, from, notice)) {
    return MakeFailure(FailureKind::kCorrupt, fmt::format("{} {} arrived damaged", Name(from), taken_));
  }
  if (notice.sequence != taken_) {
    return MakeFailure(
        notice.sequence > taken_ ? FailureKind::kLost : FailureKind::kCorrupt,
        fmt::format("{} {} never arrived: {} came in its place", Name(from), taken_, notice.sequence));
  }
  if (notice.messages < last_messages_ || notice.messages > limit) {
    return MakeFailure(FailureKind::kCorrupt,
                       fmt::format("{} {} is impossible: it speaks of {} messages, between {} and {} can be",
                                   Name(from), taken_, notice.messages, last_messages_, limit));
  }
  RR_RETURN_IF_ERROR(link_.PostReceive(taken_ % kSlots, incoming_->slice(taken_)));
  ++taken_;
  last_messages_ = notice.messages;
  return notice.messages;
}

}  // namespace rdmaready
