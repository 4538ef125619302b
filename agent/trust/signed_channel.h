// SPDX-License-Identifier: Apache-2.0
// SignedChannel: the PeerChannel between two agents with TLS, through a caller who relays and is believed
// nothing.
//
//   both ends: kHello (a fresh key, certificates), kSigned over a kHello, then everything else in a kSigned
//
// A signature is by the key of the sender's certificate over both fresh keys, both ends' certificates, the
// sender's role, the number of messages before this one, and the message with all it says: endpoint, case,
// lane, memory. So a message that was changed, left out, said twice, taken from another test or turned back to
// its sender ends the conversation. The nonce of an offer is readable to the other end alone: the caller cannot
// connect with it.
//
// What the relay still can: read the rest, delay, hang up, and choose which two agents test.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/transfer/peer_channel.h"
#include "agent/trust/offer_signer.h"
#include "agent/trust/shared_secret.h"
#include "api/base/clock.h"

namespace rdmaready {

// What an agent with TLS goes by; the files are read for each test.
struct PeerTrust {
  TlsFiles files{};          // none: the agent signs nothing, and asks for no signature
  std::string roles_file{};  // empty: nobody has the role agent
};

class SignedChannel final : public PeerChannel {
 public:
  // `inner` outlives it, and is used by nobody else. `own` is this end's role in the (forward) test.
  // `clock` is the one that goes for deadlines of `inner`.
  SignedChannel(Role own, PeerChannel& inner, Clock& clock);

  // Before anything else: proves to each end who the other one is. kPermissionDenied: the other end is not to
  // be believed, the words say who and why; kFailedPrecondition: this end cannot sign or judge. Else a failure
  // (FailureOf) of the channel: it closed, was late, or `cancel` was asked to stop.
  absl::Status Greet(const PeerTrust& trust, TimePoint deadline, const std::stop_token& cancel);

  // The subject of the other end's certificate; empty until Greet succeeded.
  std::string peer() const { return verifier_ ? verifier_->subject() : std::string(); }

  // Whether the other end's certificate is that of this host (OfferVerifier::IsNamed); false until Greet
  // succeeded.
  bool IsPeer(const std::string& host) const { return verifier_ && verifier_->IsNamed(host); }

  // Fail as Greet did, or before it. A message that its signature does not fit: kPeerGone, and so all that
  // follow.
  absl::Status Send(const PeerMessage& message) override;
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override;
  PeerState Poll() override;

 private:
  absl::Status Prove(const PeerTrust& trust, TimePoint deadline, const std::stop_token& cancel);
  absl::StatusOr<PeerMessage> Await(PeerMessageKind kind, TimePoint deadline, const std::stop_token& cancel);
  absl::Status Judge(const PeerTrust& trust, const PeerMessage& hello);
  absl::Status Agree(const HelloKey& own_key, const PeerMessage& hello);
  std::string SignedOctets(Role sender, std::uint64_t number, const std::string& body) const;
  absl::Status Mask(Role sender, std::uint64_t number, PeerMessage& message) const;
  absl::StatusOr<PeerMessage> Opened(const PeerMessage& message);
  absl::Status Forged(const char* what);

  const Role own_;
  PeerChannel& inner_;
  Clock& clock_;
  std::optional<OfferSigner> signer_{};
  std::optional<OfferVerifier> verifier_{};
  std::string transcript_{};  // SHA-256 of both greetings
  std::string secret_{};      // of the two ends
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  absl::Status broken_;  // what every further message meets; of the beginning: nobody greeted
};

}  // namespace rdmaready
