// SPDX-License-Identifier: Apache-2.0
#include "tests/support/smb_server/responder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "agent/link/failure.h"
#include "agent/smbdirect/iwarp.h"
#include "agent/smbdirect_link/edge.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kMostAnswerBytes = 8192;
constexpr smbdirect::Depths kOwnDepths{.ird = 8, .ord = 8};

absl::StatusOr<std::vector<std::uint8_t>> Greet(const Handshake& request, bool iwarp) {
  std::vector<std::uint8_t> answer;
  if (!iwarp) return answer;
  const auto peer = smbdirect::DecodeDepths(std::as_bytes(std::span(request.private_data)));
  if (!peer) return answer;
  const auto agreed = smbdirect::AcceptDepths(kOwnDepths, peer->depths);
  if (!agreed) return absl::InvalidArgumentError("a depth of 0");
  for (const std::byte byte : smbdirect::EncodeDepths(*agreed, peer->order))
    answer.push_back(std::to_integer<std::uint8_t>(byte));
  return answer;
}

class Server {
 public:
  Server(RdmaLink& link, const ResponderOptions& options)
      : link_(link),
        options_(options),
        edge_(smbdirect::Role::kResponder, options.settings, link,
              {.established = [this](const smbdirect::Agreement& agreement) { Established(agreement); },
               .deliver = [this](smbdirect::Bytes message) { Deliver(message); }}) {}

  absl::Status Run(const Patience& patience) {
    LinkSettings settings = smbdirect::Edge::SettingsOf(options_.settings);
    settings.listen_port = options_.port;
    settings.before_connected = [this] { return edge_.Prepare(); };
    const absl::StatusOr<Endpoint> endpoint = link_.Listen(options_.address, settings);
    if (!endpoint.ok()) return endpoint.status();
    Say(fmt::format("listening {} {}", endpoint->address, endpoint->port));
    RR_RETURN_IF_ERROR(link_.AcceptAnyone(
        [this](const Handshake& request) { return Greet(request, options_.iwarp); }, patience));
    Say("accepted");
    auto answers = Buffer::Make(link_, kMostAnswerBytes, 1, Access::kSendSource);
    if (!answers.ok()) return answers.status();
    answers_ = *std::move(answers);
    edge_.Lend(*answers_);
    absl::Status status = edge_.Start();
    while (status.ok() && std::chrono::steady_clock::now() < patience.deadline) {
      if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
      status = edge_.Step(
          std::min(patience.deadline, std::chrono::steady_clock::now() + std::chrono::milliseconds(50)));
    }
    Say(status.ok() ? "the peer stayed" : "ended: " + FailureOf(status).detail);
    const bool left = FailureOf(status).kind == FailureKind::kDisconnected && answered_ > 0;
    return left ? absl::OkStatus() : status;
  }

 private:
  void Say(const std::string& line) {
    if (options_.say) options_.say(line);
  }

  void Established(const smbdirect::Agreement& agreement) {
    Say(fmt::format("negotiated send {} receive {} fragmented {} credits-requested {}",
                    agreement.max_send_bytes, agreement.max_receive_bytes, agreement.max_fragmented_send_bytes,
                    agreement.peer_credits_requested));
  }

  void Deliver(smbdirect::Bytes message) {
    Say(fmt::format("smb2 command {}, {} bytes", CommandOf(message).value_or(0xffff), message.size()));
    const auto answer = AnswerOf(options_.server, message);
    if (!answer || answer->size() > answers_->all().size()) return edge_.Close();
    std::ranges::copy(*answer, answers_->all().begin());
    const absl::Status sent = edge_.Submit({.bytes = answers_->all().first(answer->size())});
    if (!sent.ok()) return Say("submit: " + Message(sent));
    ++answered_;
  }

  RdmaLink& link_;
  const ResponderOptions& options_;
  std::unique_ptr<Buffer> answers_{};
  int answered_ = 0;
  smbdirect::Edge edge_;
};

}  // namespace

absl::Status Respond(RdmaLink& link, const ResponderOptions& options, const Patience& patience) {
  Server server(link, options);
  const absl::Status status = server.Run(patience);
  link.Disconnect();
  return status;
}

}  // namespace rdmaready
