// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/data_smbd.h"

#include <utility>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// Between our own ends as between Linux ones; see smbdirect/settings.h.
constexpr std::uint32_t kMessageBytes = 1'364;
constexpr std::uint16_t kCredits = 255;

smbdirect::Settings SettingsFor(const TransferCase& test) {
  const std::uint16_t credits = test.credits > 0 ? test.credits : kCredits;
  smbdirect::Settings settings;
  settings.receive_credit_max = credits;
  settings.send_credit_target = credits;
  settings.max_send_bytes = kMessageBytes;
  settings.max_receive_bytes = kMessageBytes;
  return settings;
}

smbdirect::Role SmbdRole(Role role) {
  return role == Role::kInitiator ? smbdirect::Role::kInitiator : smbdirect::Role::kResponder;
}

}  // namespace

std::uint64_t SmbdPinnedBytes(const TransferCase& test) {
  const std::uint64_t messages = test.operation == Operation::kSend
                                     ? std::uint64_t{2} * test.message_bytes  // out and in
                                     : std::uint64_t{test.message_bytes} + kMoveMessageBytes;
  return SlotsOf(test) * messages + smbdirect::Edge::PinnedBytes(SettingsFor(test));
}

SmbdEnd::SmbdEnd(Role role, Session& session, const Pattern& pattern)
    : session_(session), pattern_(pattern), role_(role) {
  smbdirect::Upper upper{.invalidated = [this](std::uint32_t key) { TakenAway(key); },
                         .deliver = [this](smbdirect::Bytes message) { fault_.Update(Deliver(message)); },
                         .submitted = [this](std::uint64_t cookie) { Submitted(cookie); },
                         .moved = [this](std::uint64_t cookie) { fault_.Update(Moved(cookie)); }};
  edge_ = std::make_unique<smbdirect::Edge>(SmbdRole(role), SettingsFor(session.test()), session.link(),
                                            std::move(upper),
                                            [&session](std::span<Completion> completions, TimePoint wake) {
                                              return session.Wait(completions, wake);
                                            });
}

LinkSettings SmbdEnd::link_settings() {
  LinkSettings settings = smbdirect::Edge::SettingsOf(SettingsFor(session_.test()));
  if (role_ == Role::kInitiator && session_.test().remote_invalidation) {
    settings.windows = SlotsOf(session_.test());
  }
  settings.busy_poll = session_.options().busy_poll;
  settings.tos = session_.options().tos;
  settings.before_connected = [this] {
    RR_RETURN_IF_ERROR(MakeMemory());
    return edge_->Prepare();
  };
  return settings;
}

absl::Status SmbdEnd::Make(std::unique_ptr<Buffer>& buffer, std::uint32_t bytes, std::uint32_t slots,
                           Access access) {
  RR_ASSIGN_OR_RETURN(buffer, Buffer::Make(session_.link(), bytes, slots, access));
  edge_->Lend(*buffer);
  return absl::OkStatus();
}

absl::Status SmbdEnd::Negotiate() {
  RR_RETURN_IF_ERROR(edge_->Start());
  while (role_ == Role::kInitiator && !edge_->connection().established()) RR_RETURN_IF_ERROR(Step());
  return absl::OkStatus();
}

absl::Status SmbdEnd::Step() {
  RR_RETURN_IF_ERROR(edge_->Step(TimePoint::max()));
  return fault_;
}

absl::Status SmbdEnd::ServeUntilDone(const std::function<absl::Status()>& after) {
  while (true) {
    const absl::Status status = Step();
    if (!status.ok()) {
      const PeerMessage* heard = session_.heard();
      const bool done = heard != nullptr && session_.Explain(status).kind == FailureKind::kNone;
      return done ? absl::OkStatus() : status;
    }
    RR_RETURN_IF_ERROR(after());
  }
}

void SmbdEnd::Verify(std::span<const std::byte> bytes, std::uint64_t number, Phase& phase) const {
  if (!verify()) return;
  const Pattern::Wrong wrong = pattern_.Verify(bytes, number);
  phase.Compared(bytes.size(), wrong.bytes, wrong.first_offset, number * bytes.size());
}

}  // namespace rdmaready
