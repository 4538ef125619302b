// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/smb/smbd_client.h"

#include <algorithm>
#include <chrono>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kSmbdLook{50};  // at what may interrupt

std::vector<std::uint8_t> PrivateDataOf(bool iwarp) {
  if (!iwarp) return {};
  const auto encoded = smbdirect::EncodeDepths(SmbdClient::kDepths, smbdirect::DepthsOrder::kBigEndian);
  std::vector<std::uint8_t> octets;
  for (const std::byte byte : encoded) octets.push_back(std::to_integer<std::uint8_t>(byte));
  return octets;
}

}  // namespace

SmbdClient::SmbdClient(const LinkMaker& make_link, const smbdirect::Settings& settings)
    : settings_(settings),
      link_(make_link(Role::kInitiator, 0)),
      edge_(smbdirect::Role::kInitiator, settings, *link_, {.deliver = [this](smbdirect::Bytes message) {
              if (!answer_) answer_.emplace(message.begin(), message.end());
            }}) {}

SmbdClient::~SmbdClient() { link_->Disconnect(); }

absl::Status SmbdClient::Connect(const Endpoint& to, const std::string& local_address, bool iwarp,
                                 const Patience& patience) {
  iwarp_ = iwarp;
  LinkSettings settings = smbdirect::Edge::SettingsOf(settings_);
  settings.responder_resources = static_cast<std::uint8_t>(kDepths.ird);
  settings.initiator_depth = static_cast<std::uint8_t>(kDepths.ord);
  settings.before_connected = [this] { return edge_.Prepare(); };
  return link_->Connect(to, PrivateDataOf(iwarp), local_address, settings, patience);
}

absl::Status SmbdClient::Negotiate(const Patience& patience) {
  RR_RETURN_IF_ERROR(edge_.Start());
  return StepUntil([this] { return edge_.connection().established(); }, "negotiate SMB Direct", patience);
}

absl::StatusOr<std::vector<std::byte>> SmbdClient::Ask(smbdirect::Bytes request, const Patience& patience) {
  if (request.size() > kMostRequestBytes) return MakeFailure(FailureKind::kSetup, "ask: a request too long");
  RR_ASSIGN_OR_RETURN(request_, Buffer::Make(*link_, kMostRequestBytes, 1, Access::kSendSource));
  std::ranges::copy(request, request_->all().begin());
  edge_.Lend(*request_);
  answer_.reset();
  RR_RETURN_IF_ERROR(edge_.Submit({.bytes = request_->all().first(request.size())}));
  RR_RETURN_IF_ERROR(
      StepUntil([this] { return answer_.has_value(); }, "wait for the server's message", patience));
  return *answer_;
}

absl::Status SmbdClient::StepUntil(const std::function<bool()>& done, const std::string& what,
                                   const Patience& patience) {
  while (!done()) {
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    const TimePoint now = patience.clock->Now();
    if (now >= patience.deadline) return MakeFailure(FailureKind::kStalled, what + ": no answer in time");
    RR_RETURN_IF_ERROR(edge_.Step(std::min(patience.deadline, now + kSmbdLook)));
  }
  return absl::OkStatus();
}

smbdirect::Depths SmbdClient::depths() const {
  const Handshake& told = link_->handshake();
  const smbdirect::Depths by_manager{.ird = told.responder_resources, .ord = told.initiator_depth};
  if (!iwarp_) return by_manager;
  const auto reply = smbdirect::DecodeDepths(std::as_bytes(std::span(told.private_data)));
  if (!reply) return by_manager;
  return smbdirect::AdoptDepths(kDepths, reply->depths).value_or(smbdirect::Depths{});
}

}  // namespace rdmaready
