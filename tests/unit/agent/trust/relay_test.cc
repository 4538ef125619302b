// SPDX-License-Identifier: Apache-2.0
// The caller between two agents as an attacker: whatever it does, no agent moves a byte that the other one did
// not ask it to.
#include "tests/unit/agent/trust/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <thread>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kRoles[] =
    "agent: [\"URI:spiffe://example.org/agent/*\"]\ntest: [\"URI:spiffe://example.org/user/*\"]\n";

class RelayTest : public testing::Test {
 protected:
  RelayTest() { pki_.Write("roles.yaml", kRoles); }

  PeerTrust Trust(const TlsFiles& files) const {
    return {.files = files, .roles_file = pki_.Path("roles.yaml")};
  }
  PeerTrust Agent(const std::string& name, const std::string& key_type = "EC") {
    return Trust(
        pki_.Identity(name, {.names = "URI:spiffe://example.org/agent/" + name, .key_type = key_type}));
  }
  End Initiator() { return {Agent("a"), Role::kInitiator}; }
  End Responder() { return {Agent("b"), Role::kResponder}; }

  BothOutcomes Run(const Tamper& tamper, Operation operation = Operation::kWrite) {
    return RunThrough(Initiator(), Responder(), tamper, fabric_, operation);
  }
  std::uint64_t Moved() {
    return fabric_.Posted(Role::kInitiator, Work::kWrite) + fabric_.Posted(Role::kInitiator, Work::kRead) +
           fabric_.Posted(Role::kInitiator, Work::kSend);
  }
  // Both ends said who they are, and then the initiator met what it does not believe.
  void ExpectForged(const BothOutcomes& outcome, const char* words = "not to be believed") {
    ASSERT_TRUE(outcome.result[0]) << outcome.greeted[0];
    EXPECT_EQ(outcome.result[0]->failure.kind, FailureKind::kPeerGone);
    EXPECT_THAT(outcome.result[0]->failure.detail, HasSubstr(words));
    EXPECT_EQ(Moved(), 0u);
  }
  // The end of that place does not even begin.
  void ExpectRefused(const BothOutcomes& outcome, std::size_t place, const std::string& words) {
    EXPECT_EQ(outcome.greeted[place].code(), absl::StatusCode::kPermissionDenied) << outcome.greeted[place];
    EXPECT_THAT(std::string(outcome.greeted[place].message()),
                AllOf(HasSubstr("peer test refused"), HasSubstr(words)));
    EXPECT_FALSE(outcome.result[place]);
    EXPECT_EQ(Moved(), 0u);
  }

  MadePki pki_{"site"};
  MemoryFabric fabric_;
};

TEST_F(RelayTest, ThatOnlyRelaysSeesATestThatWorks) {
  for (const char* key_type : {"EC", "RSA", "ED25519"}) {
    for (const Operation operation : {Operation::kWrite, Operation::kRead, Operation::kSend}) {
      MemoryFabric fabric;
      const BothOutcomes outcome =
          RunThrough({Agent("a", key_type), Role::kInitiator}, {Agent("b", key_type), Role::kResponder}, Honest,
                     fabric, operation);
      ASSERT_TRUE(outcome.result[0] && outcome.result[1]) << outcome.greeted[0] << outcome.greeted[1];
      EXPECT_EQ(outcome.result[0]->failure, Failure{}) << key_type;
      EXPECT_EQ(*outcome.result[0], *outcome.result[1]);
      EXPECT_GT(outcome.result[0]->bytes_verified, 0u);
    }
  }
}

TEST_F(RelayTest, CannotChangeAnythingOfAnOffer) {
  const std::map<std::string, std::function<void(PeerMessage&)>> changes{
      {"address", [](PeerMessage& offer) { offer.endpoint.address = "10.9.9.9"; }},
      {"port", [](PeerMessage& offer) { ++offer.endpoint.port; }},
      {"case", [](PeerMessage& offer) { offer.case_name = "other"; }},
      {"message_bytes", [](PeerMessage& offer) { offer.message_bytes = 1 << 30; }},
      {"depth", [](PeerMessage& offer) { ++offer.depth; }},
      {"verify", [](PeerMessage& offer) { offer.verify = !offer.verify; }},
      {"lane", [](PeerMessage& offer) { ++offer.lane; }},
      {"lanes", [](PeerMessage& offer) { ++offer.lanes; }},
      {"nonce", [](PeerMessage& offer) { offer.nonce[3] ^= 1; }}};
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    ExpectForged(Run(Changes(PeerMessageKind::kOffer, change)), "signature is not over what was said");
  }
}

TEST_F(RelayTest, CannotChangeTheMemoryThatIsWrittenOrRead) {
  const std::map<std::string, std::function<void(PeerMessage&)>> changes{
      {"rkey", [](PeerMessage& ready) { ++ready.memory.rkey; }},
      {"address", [](PeerMessage& ready) { ready.memory.address += 4096; }},
      {"length", [](PeerMessage& ready) { ready.memory.length_bytes += 4096; }},
      {"lane", [](PeerMessage& ready) { ++ready.lane; }}};
  for (const auto& [what, change] : changes) {
    for (const Operation operation : {Operation::kWrite, Operation::kRead}) {
      SCOPED_TRACE(what);
      MemoryFabric fabric;
      const BothOutcomes outcome =
          RunThrough(Initiator(), Responder(), Changes(PeerMessageKind::kReady, change), fabric, operation);
      ASSERT_TRUE(outcome.result[0]);
      EXPECT_THAT(outcome.result[0]->failure.detail, HasSubstr("signature is not over what was said"));
      EXPECT_EQ(fabric.Posted(Role::kInitiator, Work::kWrite) + fabric.Posted(Role::kInitiator, Work::kRead),
                0u);
      EXPECT_EQ(fabric.Registered(), 0u);
    }
  }
}

TEST_F(RelayTest, CannotChangeWhatBothSawInTheEnd) {
  for (const PeerMessageKind kind :
       {PeerMessageKind::kDone, PeerMessageKind::kView, PeerMessageKind::kResult}) {
    MemoryFabric fabric;
    const BothOutcomes outcome = RunThrough(Initiator(), Responder(),
                                            Changes(kind,
                                                    [](PeerMessage& message) {
                                                      message.result.bytes_verified += 1;
                                                      message.counts.announced += 1;
                                                    }),
                                            fabric);
    ASSERT_TRUE(outcome.result[0] && outcome.result[1]);
    const bool of_initiator = kind != PeerMessageKind::kView;
    EXPECT_NE(outcome.result[of_initiator ? 1 : 0]->failure, Failure{}) << static_cast<int>(kind);
  }
}

TEST_F(RelayTest, CannotTakeASignatureOrAnOfferFromAnEarlierTest) {
  std::optional<PeerMessage> earlier;
  const Tamper record = [&](Role from, const PeerMessage& message) {
    if (Inside(message).kind == PeerMessageKind::kOffer) earlier = message;
    return Honest(from, message);
  };
  MemoryFabric first;
  const End a = Initiator();
  const End b = Responder();
  ASSERT_EQ(RunThrough(a, b, record, first).result[0]->failure, Failure{});
  ASSERT_TRUE(earlier);
  const Tamper replay = [&](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    if (Inside(message).kind == PeerMessageKind::kOffer) return {{*earlier, Across(from)}};
    return Honest(from, message);
  };
  ExpectForged(RunThrough(a, b, replay, fabric_));
}

TEST_F(RelayTest, CannotPlayAWholeEarlierEnd) {
  std::vector<PeerMessage> earlier;
  const Tamper record = [&](Role from, const PeerMessage& message) {
    if (from == Role::kResponder) earlier.push_back(message);
    return Honest(from, message);
  };
  MemoryFabric first;
  const End a = Initiator();
  const End b = Responder();
  ASSERT_EQ(RunThrough(a, b, record, first).result[0]->failure, Failure{});
  const Tamper replay = [&](Role from, const PeerMessage&) -> std::vector<Relayed> {
    std::vector<Relayed> all;
    if (from == Role::kResponder || earlier.empty()) return all;
    for (const PeerMessage& message : earlier) all.push_back({message, Role::kInitiator});
    earlier.clear();
    return all;
  };
  ExpectRefused(RunThrough(a, b, replay, fabric_), 0, "has not the key of the certificate CN=b");
}

TEST_F(RelayTest, CannotLeaveOutRepeatOrReorderMessages) {
  const auto is_offer = [](const PeerMessage& message) {
    return Inside(message).kind == PeerMessageKind::kOffer;
  };
  const auto is_proof = [](const PeerMessage& message) {
    return message.kind == PeerMessageKind::kSigned && Inside(message).kind == PeerMessageKind::kHello;
  };
  const Tamper twice = [&](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    if (!is_offer(message)) return Honest(from, message);
    return {{message, Across(from)}, {message, Across(from)}};
  };
  MemoryFabric doubled;
  const BothOutcomes repeated = RunThrough(Initiator(), Responder(), twice, doubled);
  ASSERT_TRUE(repeated.result[0]);
  EXPECT_THAT(repeated.result[0]->failure.detail, HasSubstr("not to be believed"));
  EXPECT_EQ(doubled.Posted(Role::kInitiator, Work::kWrite), 0u);

  // The initiator's last two messages, the other way round; and its last one alone.
  for (const bool swap : {true, false}) {
    std::optional<PeerMessage> done;
    const Tamper late = [&](Role from, const PeerMessage& message) -> std::vector<Relayed> {
      if (Inside(message).kind == PeerMessageKind::kDone) {
        done = message;
        return {};
      }
      if (Inside(message).kind == PeerMessageKind::kResult && swap) {
        return {{message, Across(from)}, {*done, Across(from)}};
      }
      return Honest(from, message);
    };
    MemoryFabric fabric;
    const BothOutcomes outcome =
        RunThrough(Initiator(), Responder(), late, fabric, Operation::kWrite, ImpatientOptions());
    ASSERT_TRUE(outcome.result[1]);
    EXPECT_NE(outcome.result[1]->failure, Failure{});
    EXPECT_EQ(fabric.Registered(), 0u);
  }

  std::optional<PeerMessage> proof;
  const Tamper proof_last = [&](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    if (from == Role::kResponder && is_proof(message)) {
      proof = message;
      return {};
    }
    if (is_offer(message)) return {{message, Across(from)}, {*proof, Across(from)}};
    return Honest(from, message);
  };
  ExpectRefused(Run(proof_last), 0, "has not the key of the certificate CN=b");
}

TEST_F(RelayTest, CannotTurnMessagesBackToWhoSaidThem) {
  const Tamper mirror = [](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    return {{message, from}};
  };
  const BothOutcomes outcome = Run(mirror);
  // Who sees it first hangs up, and the other may meet that before its own message.
  const std::size_t first = absl::IsPermissionDenied(outcome.greeted[0]) ? 0 : 1;
  ExpectRefused(outcome, first, "has not the key");
  if (absl::IsUnavailable(outcome.greeted[1 - first])) {
    EXPECT_FALSE(outcome.result[1 - first]);
  } else {
    ExpectRefused(outcome, 1 - first, "has not the key");
  }
}

TEST_F(RelayTest, CannotGiveBothEndsOneRole) {
  for (const Role role : {Role::kInitiator, Role::kResponder}) {
    MemoryFabric fabric;
    const BothOutcomes outcome = RunThrough({Agent("a"), role}, {Agent("b"), role}, Honest, fabric);
    ExpectRefused(outcome, 0, "CN=b");
    ExpectRefused(outcome, 1, "CN=a");
  }
}

TEST_F(RelayTest, CannotConnectWithTheNonceThatItReads) {
  std::optional<PeerMessage> offer;
  const Tamper look = [&](Role from, const PeerMessage& message) {
    if (Inside(message).kind == PeerMessageKind::kOffer) offer = Inside(message);
    return Honest(from, message);
  };
  const BothOutcomes outcome = Run(look);
  ASSERT_TRUE(outcome.result[0] && offer);
  EXPECT_EQ(outcome.result[0]->failure, Failure{});
  // What the right peer presented, and what the relay could present.
  ASSERT_TRUE(fabric_.request);
  EXPECT_NE(*fabric_.request, std::vector<std::uint8_t>(offer->nonce.begin(), offer->nonce.end()));
}

TEST_F(RelayTest, ThatConnectsAQueuePairOfItsOwnIsRejectedAndTheTestGoesOn) {
  fabric_.impostors = 2;
  const BothOutcomes outcome = Run(Honest);
  ASSERT_TRUE(outcome.result[0]);
  EXPECT_EQ(outcome.result[0]->failure, Failure{});
  EXPECT_EQ(fabric_.rejected, 2);
}

TEST_F(RelayTest, CannotSlipAKeyOfItsOwnUnderAnAgentsCertificate) {
  const HelloKey own = *HelloKey::Fresh();
  const Tamper slip = [&](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    PeerMessage changed = message;
    if (message.kind == PeerMessageKind::kHello && from == Role::kInitiator) changed.hello_key = own.octets();
    return {{changed, Across(from)}};
  };
  const BothOutcomes outcome = Run(slip);
  ExpectRefused(outcome, 1, "has not the key of the certificate CN=a");
  // A key with which every secret is the same.
  const Tamper weak = [](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    PeerMessage changed = message;
    if (message.kind == PeerMessageKind::kHello) changed.hello_key = std::string(kHelloKeyBytes, '\0');
    return {{changed, Across(from)}};
  };
  MemoryFabric fabric;
  ExpectRefused(RunThrough(Initiator(), Responder(), weak, fabric), 1, "no secret can be shared");
}

TEST_F(RelayTest, CannotSpeakWithoutASignatureAfterTheGreeting) {
  const Tamper bare = [](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    const PeerMessage inside = Inside(message);
    return {{inside.kind == PeerMessageKind::kOffer ? inside : message, Across(from)}};
  };
  ExpectForged(Run(bare), "one is not signed");
}

TEST_F(RelayTest, ThatHasACertificateOfAnotherRoleIsNoAgent) {
  const End user{Trust(pki_.Identity("mallory", {.names = "URI:spiffe://example.org/user/mallory"})),
                 Role::kResponder};
  ExpectRefused(
      RunThrough(Initiator(), user, Honest, fabric_), 0,
      "CN=mallory (URI:spiffe://example.org/user/mallory) has not the role agent in this agent's role "
      "map (--roles); where it is an agent, the line agent: "
      "[\"URI:spiffe://example.org/user/mallory\"] is missing there");
}

TEST_F(RelayTest, NamesTheLineThatMakesEveryHostOfPkiAnAgent) {
  const End host{Trust(pki_.Identity("b2", {.names = "DNS:b2,URI:rdmaready:host/3b77db9a"})), Role::kResponder};
  ExpectRefused(RunThrough(Initiator(), host, Honest, fabric_), 0,
                "the line agent: [\"URI:rdmaready:host/*\"] is missing there");
}

TEST_F(RelayTest, IsRefusedWithACertificateThatExpiredIsForeignOrForCallersOnly) {
  MadePki foreign("foreign");
  foreign.Write("roles.yaml", kRoles);
  const std::string name = "URI:spiffe://example.org/agent/c";
  const std::map<std::string, TlsFiles> shown{
      {"is not signed by a CA that is trusted here", foreign.Identity("c1", {.names = name})},
      {"is not meant for this use", pki_.Identity("c3", {.names = name, .usage = "clientAuth"})},
      {"without DNS name or URI", pki_.Identity("c4", {})}};
  for (const auto& [words, files] : shown) {
    MemoryFabric fabric;
    TlsFiles trusting = files;
    trusting.ca = pki_.Path("ca.pem");
    const End other{Trust(trusting), Role::kResponder};
    ExpectRefused(RunThrough(Initiator(), other, Honest, fabric), 0, words);
  }
}

TEST_F(RelayTest, CannotUseACertificateThatExpired) {
  // Its owner would not show it; who stole the key does.
  const TlsFiles expired =
      pki_.Identity("old", {.names = "URI:spiffe://example.org/agent/old", .from_s = -7200, .until_s = -3600});
  const std::string pem = [&] {
    std::ifstream file(expired.certificate);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  const Tamper show = [&](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    PeerMessage changed = message;
    if (message.kind == PeerMessageKind::kHello && from == Role::kResponder) changed.certificates = pem;
    return {{changed, Across(from)}};
  };
  ExpectRefused(Run(show), 0, "CN=old expired on");
  const BothOutcomes own = RunThrough({Trust(expired), Role::kInitiator}, Responder(), Honest, fabric_);
  EXPECT_EQ(own.greeted[0].code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(own.greeted[0].message()),
              AllOf(HasSubstr("this agent cannot sign"), HasSubstr("expired")));
}

TEST_F(RelayTest, FindsNoAgentWhereNobodySaidWhoIsOne) {
  End without = Initiator();
  without.trust.roles_file.clear();
  ExpectRefused(RunThrough(without, Responder(), Honest, fabric_), 0, "it has no role map (--roles)");
  without.trust.roles_file = pki_.Path("no such file");
  const BothOutcomes unreadable = RunThrough(without, Responder(), Honest, fabric_);
  EXPECT_EQ(unreadable.greeted[0].code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(unreadable.greeted[0].message()), HasSubstr("--roles: "));
}

TEST_F(RelayTest, TakesACertificateThatWasReplacedFromTheNextTestOn) {
  End a = Initiator();
  const End b = Responder();
  MemoryFabric first;
  ASSERT_EQ(RunThrough(a, b, Honest, first).result[0]->failure, Failure{});
  pki_.Identity("a", {.names = "URI:spiffe://example.org/user/a"});  // the same files
  ExpectRefused(RunThrough(a, b, Honest, fabric_), 1,
                "CN=a (URI:spiffe://example.org/user/a) has not the role agent");
}

TEST_F(RelayTest, MeetsWordsWhereOneAgentSignsAndTheOtherDoesNot) {
  ChannelPair wire = MakeLocalChannel();
  MemoryLink link(fabric_, Role::kResponder);
  TransferResult plain;
  absl::Status greeted;
  {
    const std::jthread unsigned_end([&] {
      plain = RunResponder(SmallCase(Operation::kWrite), link, *wire.first, ImpatientOptions());
      wire.first.reset();
    });
    SignedChannel signing(Role::kInitiator, *wire.second, RealClock());
    greeted = signing.Greet(Agent("a"), Soon(), {});
  }
  EXPECT_EQ(greeted.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(greeted.message()), HasSubstr("agents with TLS test with agents with TLS only"));
  EXPECT_THAT(plain.failure.detail, HasSubstr("its agent has TLS and this one has not"));
}

TEST_F(RelayTest, ThatSaysNothingIsWaitedForAsLongAsTheTestLasts) {
  ChannelPair wire = MakeLocalChannel();
  SignedChannel alone(Role::kInitiator, *wire.second, RealClock());
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(80);
  const absl::Status late = alone.Greet(Agent("a"), soon, {});
  EXPECT_EQ(FailureOf(late).kind, FailureKind::kPeerGone);
  EXPECT_THAT(std::string(late.message()), HasSubstr("did not greet in time"));
  EXPECT_EQ(alone.Receive(soon).status(), late);
  std::stop_source cancel;
  cancel.request_stop();
  SignedChannel cancelled(Role::kInitiator, *wire.second, RealClock());
  EXPECT_EQ(FailureOf(cancelled.Greet(Agent("a"), Soon(), cancel.get_token())).kind, FailureKind::kCancelled);
}

}  // namespace
}  // namespace rdmaready
