// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: all that the other end of a peer test says before it is believed, and where it may be.
#include "tests/fuzz/target.h"

#include <google/protobuf/stubs/logging.h>

#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>

#include "agent/link/failure.h"
#include "agent/port/peer_subnets.h"
#include "agent/trust/signed_channel.h"
#include "api/convert/records.h"
#include "tests/support/made_pki.h"

namespace rdmaready {
namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

// Certificates of one run, and a map by which their owner is an agent.
struct Site {
  Site() {
    pki.Write("roles.yaml", "agent: [\"DNS:*.example.org\"]\n");
    trust = {.files = pki.Identity("a", {.names = "DNS:a.example.org"}), .roles_file = pki.Path("roles.yaml")};
    other = *OfferSigner::Load(pki.Identity("b", {.names = "DNS:b.example.org"}));
  }
  MadePki pki{"fuzz"};
  PeerTrust trust{};
  std::optional<OfferSigner> other{};
};

Site& TheSite() {
  static Site site;
  return site;
}

// Says what it was given, and then hangs up.
class Script final : public PeerChannel {
 public:
  explicit Script(std::deque<PeerMessage> messages) : messages_(std::move(messages)) {}
  absl::Status Send(const PeerMessage&) override { return absl::OkStatus(); }
  absl::StatusOr<PeerMessage> Receive(TimePoint) override {
    if (messages_.empty()) return MakeFailure(FailureKind::kPeerGone, "over");
    PeerMessage message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }
  PeerState Poll() override { return messages_.empty() ? PeerState::kClosed : PeerState::kMessage; }

 private:
  std::deque<PeerMessage> messages_;
};

// Whoever has not the key of a certificate never gets through, whatever it says.
void Greeted(std::deque<PeerMessage> said) {
  Script script(std::move(said));
  SignedChannel channel(Role::kInitiator, script, RealClock());
  const TimePoint deadline = RealClock().Now() + std::chrono::seconds(5);
  Demand(!channel.Greet(TheSite().trust, deadline, {}).ok());
  Demand(!channel.Receive(deadline).ok());
}

// Messages as the wire has them, each behind two octets of its length.
void Messages(std::string_view octets) {
  std::deque<PeerMessage> said;
  while (octets.size() >= 2 && said.size() < 8) {
    const std::size_t size =
        static_cast<unsigned char>(octets[0]) * 256u + static_cast<unsigned char>(octets[1]);
    v1::PeerMessage message;
    if (message.ParseFromString(std::string(octets.substr(2, size)))) said.push_back(FromProto(message));
    octets.remove_prefix(std::min(octets.size(), size + 2));
  }
  Greeted(std::move(said));
}

// A right greeting, and then a body and a signature of any kind.
void Proof(std::string_view octets) {
  const std::size_t half = octets.size() / 2;
  Greeted({{.kind = PeerMessageKind::kHello,
            .hello_key = HelloKey::Fresh()->octets(),
            .certificates = TheSite().other->certificates()},
           {.kind = PeerMessageKind::kSigned,
            .body = std::string(octets.substr(0, half)),
            .signature = std::string(octets.substr(half))}});
}

void Certificates(std::string_view pem) {
  const absl::StatusOr<access::RoleMap> roles = access::LoadRoleMap(TheSite().trust.roles_file);
  const auto admitted = OfferVerifier::Admit(pem, TheSite().other->ca(), {}, *roles);
  if (!admitted.ok()) return;
  Demand(!admitted->subject().empty() && admitted->subject().size() < 200);
  Demand(!admitted->Signed("x", "y"));
}

void ReadSubnet(std::string_view text) {
  const absl::StatusOr<Prefix> prefix = ParseSubnet(std::string(text));
  if (prefix.ok()) Demand(prefix->bits <= (prefix->is_ipv4 ? 32u : 128u));
}

void Address(std::string_view text) {
  static const Prefix own = *ParseSubnet("10.0.0.0/8");
  if (!MayConnect(std::string(text), {&own, 1}).ok()) return;
  Demand(text.starts_with("10.") || text.find(':') != std::string_view::npos);
}

constexpr void (*kSayings[])(std::string_view) = {Messages, Proof, Certificates, ReadSubnet, Address};

std::vector<std::uint8_t> Seed(std::uint8_t saying, std::string_view text) {
  std::vector<std::uint8_t> seed{saying};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

std::string Framed(const PeerMessage& message) {
  const std::string octets = ToProto(message).SerializeAsString();
  return std::string{static_cast<char>(octets.size() / 256), static_cast<char>(octets.size() % 256)} + octets;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  google::protobuf::SetLogHandler(nullptr);  // what is no message is said for each
  const std::string& certificates = TheSite().other->certificates();
  const PeerMessage hello{
      .kind = PeerMessageKind::kHello, .hello_key = HelloKey::Fresh()->octets(), .certificates = certificates};
  const PeerMessage proof{.kind = PeerMessageKind::kSigned,
                          .body = ToProto(PeerMessage{.kind = PeerMessageKind::kHello}).SerializeAsString(),
                          .signature = *TheSite().other->Sign("something else")};
  return {Seed(0, Framed(hello) + Framed(proof)),
          Seed(0, Framed({.kind = PeerMessageKind::kOffer})),
          Seed(1, proof.body + proof.signature),
          Seed(2, certificates),
          Seed(3, "10.0.0.0/8"),
          Seed(3, "fd00::/7"),
          Seed(4, "10.1.2.3"),
          Seed(4, "::ffff:10.1.2.3"),
          Seed(4, "fe80::1%eth0")};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  rdmaready::kSayings[data[0] % std::size(rdmaready::kSayings)](rest);
  return 0;
}
