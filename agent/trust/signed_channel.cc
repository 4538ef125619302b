// SPDX-License-Identifier: Apache-2.0
#include "agent/trust/signed_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/convert/records.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kTrustLook{50};  // at what ends a greeting
constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 10;

// As TLS 1.3 begins what it signs with the same key: nothing that one protocol signs is of use in the other.
constexpr std::size_t kPadding = 64;
constexpr std::string_view kProtocol = "rdmaready, message of a peer test, 1";
constexpr std::string_view kNoncePurpose = "rdmaready, nonce of an offer, 1";

Role OtherRole(Role role) { return role == Role::kInitiator ? Role::kResponder : Role::kInitiator; }

const char* RoleText(Role role) { return role == Role::kInitiator ? "initiator" : "responder"; }

char RoleOctet(Role role) { return role == Role::kInitiator ? 'i' : 'r'; }

std::string BigEndian(std::uint64_t number) {
  std::string octets;
  for (int shift = 56; shift >= 0; shift -= 8) octets += static_cast<char>((number >> shift) & 0xff);
  return octets;
}

}  // namespace

SignedChannel::SignedChannel(Role own, PeerChannel& inner, Clock& clock)
    : own_(own),
      inner_(inner),
      clock_(clock),
      broken_(MakeFailure(FailureKind::kPeerGone, "the two ends did not greet")) {}

absl::Status SignedChannel::Forged(const char* what) {
  broken_ =
      MakeFailure(FailureKind::kPeerGone,
                  fmt::format("the {}'s messages are not to be believed: {}; who relays between the two agents "
                              "changed one, left one out, or took one from another test",
                              RoleText(OtherRole(own_)), what));
  return broken_;
}

absl::StatusOr<PeerMessage> SignedChannel::Await(PeerMessageKind kind, TimePoint deadline,
                                                 const std::stop_token& cancel) {
  while (true) {
    if (cancel.stop_requested()) return MakeFailure(FailureKind::kCancelled, "the caller gave up");
    const TimePoint now = clock_.Now();
    absl::StatusOr<PeerMessage> message = inner_.Receive(std::min(deadline, now + kTrustLook));
    if (message.ok() && message->kind == kind) return message;
    if (message.ok()) {
      return absl::PermissionDeniedError(
          fmt::format("peer test refused: the {} does not sign what it says, or not as this version does: "
                      "agents with TLS test "
                      "with agents with TLS only",
                      RoleText(OtherRole(own_))));
    }
    if (!absl::IsDeadlineExceeded(message.status())) return message.status();
    if (now >= deadline) {
      return MakeFailure(FailureKind::kPeerGone,
                         fmt::format("the {} did not greet in time", RoleText(OtherRole(own_))));
    }
  }
}

absl::Status SignedChannel::Judge(const PeerTrust& trust, const PeerMessage& hello) {
  access::RoleMap roles;
  if (!trust.roles_file.empty()) {
    absl::StatusOr<access::RoleMap> loaded = access::LoadRoleMap(trust.roles_file);
    if (!loaded.ok()) return absl::FailedPreconditionError("--roles: " + Message(loaded.status()));
    roles = *std::move(loaded);
  }
  absl::StatusOr<OfferVerifier> verifier = OfferVerifier::Admit(hello.certificates, signer_->ca(), signer_->crl(), roles);
  if (absl::IsPermissionDenied(verifier.status())) {
    return absl::PermissionDeniedError(fmt::format("peer test refused: the {}'s certificate {}",
                                                   RoleText(OtherRole(own_)), Message(verifier.status())));
  }
  if (!verifier.ok()) return absl::FailedPreconditionError("--tls-ca: " + Message(verifier.status()));
  verifier_ = *std::move(verifier);
  return absl::OkStatus();
}

absl::Status SignedChannel::Agree(const HelloKey& own_key, const PeerMessage& hello) {
  const absl::StatusOr<std::string> secret = own_key.SharedWith(hello.hello_key);
  if (!secret.ok()) return absl::PermissionDeniedError("peer test refused: " + Message(secret.status()));
  secret_ = *secret;
  const bool initiator = own_ == Role::kInitiator;
  const std::string& mine = signer_->certificates();
  const std::string keys = initiator ? own_key.octets() + hello.hello_key : hello.hello_key + own_key.octets();
  RR_ASSIGN_OR_RETURN(const std::string first, Sha256(initiator ? mine : hello.certificates));
  RR_ASSIGN_OR_RETURN(const std::string second, Sha256(initiator ? hello.certificates : mine));
  RR_ASSIGN_OR_RETURN(transcript_, Sha256(keys + first + second));  // every part has its length
  return absl::OkStatus();
}

absl::Status SignedChannel::Greet(const PeerTrust& trust, TimePoint deadline, const std::stop_token& cancel) {
  broken_ = absl::OkStatus();
  broken_.Update(Prove(trust, deadline, cancel));
  return broken_;
}

absl::Status SignedChannel::Prove(const PeerTrust& trust, TimePoint deadline, const std::stop_token& cancel) {
  absl::StatusOr<OfferSigner> signer = OfferSigner::Load(trust.files);
  if (!signer.ok()) return absl::FailedPreconditionError("this agent cannot sign: " + Message(signer.status()));
  signer_ = *std::move(signer);
  RR_ASSIGN_OR_RETURN(const HelloKey key, HelloKey::Fresh());
  RR_RETURN_IF_ERROR(inner_.Send(
      {.kind = PeerMessageKind::kHello, .hello_key = key.octets(), .certificates = signer_->certificates()}));
  RR_ASSIGN_OR_RETURN(const PeerMessage hello, Await(PeerMessageKind::kHello, deadline, cancel));
  RR_RETURN_IF_ERROR(Judge(trust, hello));
  RR_RETURN_IF_ERROR(Agree(key, hello));
  // Until here anybody may have repeated what another agent once said.
  RR_RETURN_IF_ERROR(Send({.kind = PeerMessageKind::kHello}));
  RR_ASSIGN_OR_RETURN(const PeerMessage proof, Await(PeerMessageKind::kSigned, deadline, cancel));
  const absl::StatusOr<PeerMessage> opened = Opened(proof);
  if (opened.ok() && opened->kind == PeerMessageKind::kHello) return absl::OkStatus();
  const std::string who = std::exchange(verifier_, std::nullopt)->subject();
  broken_ = absl::OkStatus();  // of Opened: the words below say more
  return absl::PermissionDeniedError(
      fmt::format("peer test refused: who speaks for the {} has not the key of the certificate {} that it "
                  "shows, or who relays "
                  "changes what is said",
                  RoleText(OtherRole(own_)), who));
}

std::string SignedChannel::SignedOctets(Role sender, std::uint64_t number, const std::string& body) const {
  std::string octets(kPadding, ' ');
  octets += kProtocol;
  octets += '\0';
  octets += transcript_;
  octets += RoleOctet(sender);
  octets += BigEndian(number);
  return octets + body;
}

// There and back: one key of its own for each message.
absl::Status SignedChannel::Mask(Role sender, std::uint64_t number, PeerMessage& message) const {
  if (message.kind != PeerMessageKind::kOffer) return absl::OkStatus();
  const std::string purpose = std::string(kNoncePurpose) + RoleOctet(sender) + BigEndian(number);
  RR_ASSIGN_OR_RETURN(const std::string key, Derived(secret_, transcript_, purpose, message.nonce.size()));
  for (std::size_t i = 0; i < message.nonce.size(); ++i) {
    message.nonce[i] = static_cast<std::uint8_t>(message.nonce[i] ^ static_cast<std::uint8_t>(key[i]));
  }
  return absl::OkStatus();
}

absl::Status SignedChannel::Send(const PeerMessage& message) {
  if (!signer_ || transcript_.empty()) return broken_;
  const std::uint64_t number = sent_++;
  PeerMessage masked = message;
  RR_RETURN_IF_ERROR(Mask(own_, number, masked));
  std::string body = ToProto(masked).SerializeAsString();
  RR_ASSIGN_OR_RETURN(std::string signature, signer_->Sign(SignedOctets(own_, number, body)));
  return inner_.Send(
      {.kind = PeerMessageKind::kSigned, .body = std::move(body), .signature = std::move(signature)});
}

absl::StatusOr<PeerMessage> SignedChannel::Opened(const PeerMessage& message) {
  if (message.kind != PeerMessageKind::kSigned) return Forged("one is not signed");
  if (message.body.size() > kMaxBodyBytes) return Forged("one is longer than any");
  const Role sender = OtherRole(own_);
  const std::uint64_t number = received_++;
  if (!verifier_->Signed(SignedOctets(sender, number, message.body), message.signature)) {
    return Forged("a signature is not over what was said");
  }
  v1::PeerMessage body;
  if (!body.ParseFromString(message.body)) return Forged("what is signed is no message");
  PeerMessage opened = FromProto(body);
  if (opened.kind == PeerMessageKind::kSigned) return Forged("a signed message holds another");
  RR_RETURN_IF_ERROR(Mask(sender, number, opened));
  return opened;
}

absl::StatusOr<PeerMessage> SignedChannel::Receive(TimePoint deadline) {
  if (!broken_.ok()) return broken_;
  RR_ASSIGN_OR_RETURN(const PeerMessage message, inner_.Receive(deadline));
  return Opened(message);
}

// What is broken is told by Receive.
PeerState SignedChannel::Poll() { return broken_.ok() ? inner_.Poll() : PeerState::kMessage; }

}  // namespace rdmaready
