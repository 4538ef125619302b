// SPDX-License-Identifier: Apache-2.0
// The walk towards an SMB server that is another thread: links in memory, TCP in memory.
#include "agent/probe/smb/smb_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "agent/link/failure.h"
#include "agent/smbdirect_link/edge.h"
#include "checks/probe/answers.h"
#include "tests/support/fake_clock.h"
#include "tests/support/smb_server/responder.h"
#include "tests/unit/agent/link/memory_link.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using Octets = std::vector<std::byte>;

// Answers each message at once, as the script has it.
class ScriptedStream final : public ByteStream {
 public:
  using Script = std::function<Octets(std::span<const std::byte> framed)>;
  explicit ScriptedStream(Script script) : script_(std::move(script)) {}

  absl::Status Send(std::span<const std::byte> bytes, const Patience&) override {
    const Octets answer = script_(bytes);
    ready_.insert(ready_.end(), answer.begin(), answer.end());
    return absl::OkStatus();
  }
  absl::Status Receive(std::span<std::byte> bytes, const Patience& patience) override {
    if (ready_.size() < bytes.size()) {
      patience.clock->SleepUntil(patience.deadline, {});
      return MakeFailure(FailureKind::kStalled, "receive: no answer in time");
    }
    std::copy_n(ready_.begin(), bytes.size(), bytes.begin());
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(bytes.size()));
    return absl::OkStatus();
  }

 private:
  Script script_;
  std::deque<std::byte> ready_{};
};

Octets Framed(const Octets& message) {
  Octets framed(4 + message.size());
  for (std::size_t i = 1; i < 4; ++i)
    framed[i] = static_cast<std::byte>(message.size() >> (8 * (3 - i)) & 0xff);
  std::ranges::copy(message, framed.begin() + 4);
  return framed;
}

class SmbProbe : public testing::Test {
 protected:
  // Each link that the probe makes meets a server of its own.
  LinkMaker Servers() {
    return [this](Role, std::uint32_t) {
      fabrics.push_back(std::make_unique<MemoryFabric>());
      MemoryFabric& fabric = *fabrics.back();
      if (refusal) {
        fabric.refuses = *refusal;
        if (fabrics.size() > 1 && !always_refused) fabric.refuses.reset();
      }
      if (!fabric.refuses) {
        const bool silent = second_is_silent && fabrics.size() == 2;
        servers.emplace_back([this, &fabric, silent](const std::stop_token& stop) {
          MemoryLink link(fabric, Role::kResponder);
          const auto stopped = [&] {
            return stop.stop_requested() ? absl::CancelledError() : absl::OkStatus();
          };
          const Patience patience{.deadline = steady_clock::now() + seconds(10), .interrupted = stopped};
          static_cast<void>(silent ? AcceptAndKeepSilent(link, patience) : Respond(link, options, patience));
        });
      }
      return std::make_unique<MemoryLink>(fabric, Role::kInitiator);
    };
  }

  // It takes the negotiate request and does nothing.
  absl::Status AcceptAndKeepSilent(RdmaLink& link, const Patience& patience) {
    smbdirect::Edge edge(smbdirect::Role::kResponder, options.settings, link, {});
    LinkSettings settings = smbdirect::Edge::SettingsOf(options.settings);
    settings.listen_port = options.port;
    settings.before_connected = [&] { return edge.Prepare(); };
    if (const auto endpoint = link.Listen(options.address, settings); !endpoint.ok()) return endpoint.status();
    absl::Status status =
        link.AcceptAnyone([](const Handshake&) { return std::vector<std::uint8_t>(); }, patience);
    while (status.ok()) {
      std::this_thread::sleep_for(milliseconds(10));
      status = patience.interrupted();
    }
    return status;
  }

  // Says nothing; what matters is when it goes.
  class Silence final : public ByteStream {
   public:
    explicit Silence(SmbProbe& test) : test_(test) {}
    ~Silence() override {
      test_.held_for = steady_clock::now() - began_;
      test_.links_at_the_end = test_.fabrics.size();
    }
    absl::Status Send(std::span<const std::byte>, const Patience&) override {
      return absl::InternalError("it speaks");
    }
    absl::Status Receive(std::span<std::byte>, const Patience&) override {
      return absl::InternalError("it listens");
    }

   private:
    SmbProbe& test_;
    steady_clock::time_point began_ = steady_clock::now();
  };

  TcpConnector Tcp() {
    return [this](const Endpoint& to, const Patience&) -> absl::StatusOr<std::unique_ptr<ByteStream>> {
      if (to.port != 445) {
        EXPECT_TRUE(target.iwarp) << to.port;
        if (!by_iwarp_port.ok()) return by_iwarp_port;
        return std::make_unique<Silence>(*this);
      }
      if (!tcp.ok()) return tcp;
      return std::make_unique<ScriptedStream>(script);
    };
  }

  const ProbeResult& Run() {
    fabrics.clear();  // of a run before
    result = BeginProbe(*FindProbe(Protocol::kSmb), "fs1");
    Walk walk(result, {.deadline = walks->Now() + limit,
                       .interrupted = interrupted,
                       .progress = [this](const std::string& step) { began.push_back(step); },
                       .clock = walks});
    ProbeSmb(target, {.make_link = Servers(), .connect_tcp = Tcp()}, walk);
    for (std::jthread& server : servers) server.request_stop();
    servers.clear();
    return result;
  }

  StepOutcome OutcomeOf(std::string_view name) const {
    return std::ranges::find(result.steps, name, &ProbeStep::name)->outcome;
  }
  Failure FailureAt(std::string_view name) const {
    return std::ranges::find(result.steps, name, &ProbeStep::name)->failure;
  }
  std::string Value(std::string_view name) const {
    const std::vector<AnswerText> texts = AnswerTexts(result.answers);
    const auto found = std::ranges::find(texts, name, &AnswerText::name);
    return found == texts.end() ? "not told" : found->text;
  }

  ProbeTarget target{.address = "10.0.0.9", .local_address = "10.0.0.1"};
  ResponderOptions options{.address = "10.0.0.9"};
  absl::Status tcp{};
  absl::Status by_iwarp_port = MakeFailure(FailureKind::kRejected, "connect: Connection refused");
  ScriptedStream::Script script = [this](std::span<const std::byte> framed) {
    return Framed(*AnswerOf(options.server, framed.subspan(4)));
  };
  steady_clock::duration held_for{};
  std::size_t links_at_the_end = 0;
  std::optional<Handshake> refusal{};
  bool always_refused = true;
  bool second_is_silent = false;
  milliseconds limit = seconds(20);
  Clock* walks = &RealClock();
  std::function<absl::Status()> interrupted{};

  std::vector<std::unique_ptr<MemoryFabric>> fabrics{};
  std::vector<std::jthread> servers{};
  ProbeResult result{};
  std::vector<std::string> began{};
};

TEST_F(SmbProbe, WalksUpToSmb2OverRdmaAndTellsEverything) {
  Run();
  for (const std::string_view step : SmbSteps()) {
    EXPECT_EQ(OutcomeOf(step), StepOutcome::kDone) << step << ": " << FailureAt(step).detail;
  }
  EXPECT_EQ(result.port_number, 445u);
  EXPECT_EQ(result.transport, "memory");
  EXPECT_EQ(Value("tcp-dialect"), "3.1.1");
  EXPECT_EQ(Value("tcp-multi-channel"), "yes");
  EXPECT_EQ(Value("rdma-ird"), "8");
  EXPECT_EQ(Value("rdma-ord"), "1");
  EXPECT_EQ(Value("smbd-credits-asked"), "255");
  EXPECT_EQ(Value("smbd-credits-granted"), "255");
  EXPECT_EQ(Value("smbd-credits-wanted"), "255");
  EXPECT_EQ(Value("smbd-max-read-write"), "8388608");
  EXPECT_EQ(Value("smbd-preferred-send"), "1364");
  EXPECT_EQ(Value("smbd-max-receive"), "1364");
  EXPECT_EQ(Value("smbd-max-fragmented"), "1048576");
  EXPECT_EQ(Value("smb2-dialect"), "3.1.1");
  EXPECT_EQ(Value("smb2-signing"), "enabled");
  EXPECT_EQ(Value("smb2-encryption"), "AES-128-GCM");
  EXPECT_EQ(Value("smb2-rdma-transform"), "no");
  EXPECT_EQ(Value("smb2-max-write"), "4194304");
  EXPECT_EQ(Value("io-size"), "4194304");
  EXPECT_EQ(Value("smbd-accepts-minimum"), "yes");
  EXPECT_EQ(began.front(), "tcp-connect");
}

TEST_F(SmbProbe, LeavesNoMemoryRegisteredBehind) {
  Run();
  ASSERT_EQ(fabrics.size(), 2u);
  for (const auto& fabric : fabrics) EXPECT_EQ(fabric->Registered(), 0u);
}

TEST_F(SmbProbe, SeesThatAnOldKsmbdDropsTheMinima) {
  options.settings.policy = smbdirect::OldKsmbdPolicy();
  Run();
  EXPECT_EQ(OutcomeOf("smbd-minimum"), StepOutcome::kDone);
  EXPECT_EQ(Value("smbd-accepts-minimum"), "no");
  EXPECT_EQ(Value("smbd-credits-granted"), "254");
}

TEST_F(SmbProbe, SeesThatASilentServerDoesNotAcceptTheMinima) {
  second_is_silent = true;
  Run();
  EXPECT_EQ(OutcomeOf("smbd-minimum"), StepOutcome::kDone) << FailureAt("smbd-minimum").detail;
  EXPECT_EQ(Value("smbd-accepts-minimum"), "silent");
}

TEST_F(SmbProbe, DoesNotCallItSilenceWhenItsOwnTimeIsUp) {
  second_is_silent = true;
  limit = seconds(2);
  // A busy machine may take all of it before that step begins.
  for (int tries = 0; tries < 5 && (tries == 0 || OutcomeOf("smbd-minimum") == StepOutcome::kNotReached);
       ++tries)
    Run();
  EXPECT_EQ(OutcomeOf("smbd-minimum"), StepOutcome::kFailed);
  EXPECT_EQ(Value("smbd-accepts-minimum"), "not told");
}

TEST_F(SmbProbe, PutsALongAnswerTogether) {
  options.server.security_buffer_bytes = 5'000;
  Run();
  EXPECT_EQ(OutcomeOf("smb2-negotiate"), StepOutcome::kDone) << FailureAt("smb2-negotiate").detail;
}

TEST_F(SmbProbe, GoesOnByRdmaWhereTcpIsClosed) {
  tcp = MakeFailure(FailureKind::kRejected, "connect to 10.0.0.9 port 445: Connection refused");
  Run();
  EXPECT_EQ(OutcomeOf("tcp-connect"), StepOutcome::kFailed);
  EXPECT_EQ(OutcomeOf("tcp-negotiate"), StepOutcome::kNotReached);
  EXPECT_EQ(OutcomeOf("smb2-negotiate"), StepOutcome::kDone);
}

TEST_F(SmbProbe, DoesNotTryIwarpWhereTcpIsNotAnswered) {
  tcp = MakeFailure(FailureKind::kUnreachable, "connect to 10.0.0.9 port 445: no answer in time");
  target.iwarp = true;
  Run();
  EXPECT_EQ(OutcomeOf("rdma-connect"), StepOutcome::kNotReached);
}

TEST_F(SmbProbe, LetsGoOfItsKnockOnIwarpWhenTheServerAcceptedWhatCameAfter) {
  target.iwarp = true;
  by_iwarp_port = absl::OkStatus();
  Run();
  EXPECT_EQ(OutcomeOf("rdma-connect"), StepOutcome::kDone) << FailureAt("rdma-connect").detail;
  EXPECT_EQ(links_at_the_end, 1u);
}

TEST_F(SmbProbe, HoldsItsKnockOnIwarpForASecondWhenNothingWasAccepted) {
  target.iwarp = true;
  by_iwarp_port = absl::OkStatus();
  refusal = Handshake{.refusal = Refusal::kOther, .reject_reason = 111};
  Run();
  EXPECT_EQ(OutcomeOf("rdma-connect"), StepOutcome::kFailed);
  EXPECT_GE(held_for, seconds(1));
}

TEST_F(SmbProbe, DoesNotTryIwarpWhereItsPortIsNotAnswered) {
  by_iwarp_port = MakeFailure(FailureKind::kUnreachable, "connect to 10.0.0.9 port 5445: no answer in time");
  target.iwarp = true;
  Run();
  EXPECT_EQ(OutcomeOf("tcp-negotiate"), StepOutcome::kDone);
  EXPECT_EQ(FailureAt("rdma-connect").kind, FailureKind::kUnreachable);
  EXPECT_EQ(Value("rdma-refusal"), "no-answer");
  EXPECT_EQ(result.port_number, 5445u);
  EXPECT_TRUE(fabrics.empty()) << "RDMA was not tried";
}

TEST_F(SmbProbe, StaysOnTcpWithoutAnRdmaPort) {
  target.local_address.clear();
  Run();
  EXPECT_EQ(OutcomeOf("tcp-negotiate"), StepOutcome::kDone);
  EXPECT_EQ(OutcomeOf("rdma-connect"), StepOutcome::kNotReached);
  EXPECT_TRUE(fabrics.empty());
}

TEST_F(SmbProbe, TellsThatNobodyListensAndWhichPort) {
  refusal = Handshake{.refusal = Refusal::kNoListener, .reject_reason = 8};
  Run();
  EXPECT_EQ(OutcomeOf("rdma-connect"), StepOutcome::kFailed);
  EXPECT_EQ(FailureAt("rdma-connect").kind, FailureKind::kRejected);
  EXPECT_EQ(Value("rdma-refusal"), "no-listener");
  EXPECT_EQ(result.port_number, 445u);
  EXPECT_EQ(fabrics.size(), 2u);  // 5445 was tried too
  EXPECT_EQ(OutcomeOf("smbd-negotiate"), StepOutcome::kNotReached);
}

TEST_F(SmbProbe, FindsAServerOnThePortOfIwarp) {
  refusal = Handshake{.refusal = Refusal::kNoListener, .reject_reason = 8};
  always_refused = false;
  Run();
  EXPECT_EQ(OutcomeOf("smb2-negotiate"), StepOutcome::kDone);
  EXPECT_EQ(result.port_number, 5445u);
  EXPECT_EQ(Value("rdma-refusal"), "not told");
}

TEST_F(SmbProbe, TriesNoOtherPortWhereNobodyAnswers) {
  refusal = Handshake{.refusal = Refusal::kNoAnswer};
  Run();
  EXPECT_EQ(fabrics.size(), 1u);
  EXPECT_EQ(Value("rdma-refusal"), "no-answer");
}

TEST_F(SmbProbe, TakesThePortThatIsAskedForAndNoOther) {
  refusal = Handshake{.refusal = Refusal::kNoListener};
  target.port_number = 4450;
  Run();
  EXPECT_EQ(fabrics.size(), 1u);
  EXPECT_EQ(result.port_number, 4450u);
}

TEST_F(SmbProbe, SendsTheDepthsAlongOnIwarp) {
  target.iwarp = true;
  options.iwarp = true;
  Run();
  ASSERT_TRUE(fabrics.front()->request);
  EXPECT_EQ(*fabrics.front()->request, (std::vector<std::uint8_t>{0, 0, 0, 32, 0, 0, 0, 1}));
  EXPECT_EQ(result.port_number, 5445u);
  EXPECT_EQ(Value("local-iwarp"), "yes");
  EXPECT_EQ(Value("rdma-ird"), "8");
  EXPECT_EQ(Value("rdma-ord"), "1");
}

TEST_F(SmbProbe, TellsWhyTheServerRefusesTheNegotiation) {
  options.settings.policy = {.max_preferred_send_bytes = 200};
  Run();
  EXPECT_EQ(OutcomeOf("smbd-negotiate"), StepOutcome::kFailed);
  EXPECT_EQ(Value("smbd-status"), "0xc000009a");
  EXPECT_THAT(FailureAt("smbd-negotiate").detail, HasSubstr("0xc000009a"));
  EXPECT_EQ(OutcomeOf("smb2-negotiate"), StepOutcome::kNotReached);
}

TEST_F(SmbProbe, TellsWhyTheServerRefusesSmb2) {
  options.server.status = 0xC00000BB;
  Run();
  EXPECT_EQ(FailureAt("tcp-negotiate").kind, FailureKind::kRejected);
  EXPECT_THAT(FailureAt("smb2-negotiate").detail, HasSubstr("0xc00000bb"));
}

TEST_F(SmbProbe, OfGarbageByTcpEndsWithAReason) {
  for (const auto& [answer, words] : std::vector<std::pair<Octets, std::string>>{
           {Octets(4, std::byte{0xff}), "no SMB message"},
           {Octets{std::byte{0}, std::byte{0xff}, {}, {}}, "no SMB message"},
           {Framed(Octets(200)), "not SMB2"},
           {Framed({}), "shorter than"}}) {
    script = [&](std::span<const std::byte>) { return answer; };
    Run();
    EXPECT_EQ(FailureAt("tcp-negotiate").kind, FailureKind::kCorrupt);
    EXPECT_THAT(FailureAt("tcp-negotiate").detail, HasSubstr(words));
  }
}

TEST_F(SmbProbe, EndsInTimeWhereTheServerKeepsSilent) {
  limit = milliseconds(300);
  script = [](std::span<const std::byte>) { return Octets(); };
  FakeClock clock;
  walks = &clock;
  const Clock::TimePoint begin = clock.Now();
  {
    const std::jthread time([&clock] { clock.Advance(clock.AwaitSleeper()); });
    Run();
  }
  EXPECT_EQ(clock.Now() - begin, limit) << "the step alone may take 5 s";
  EXPECT_EQ(FailureAt("tcp-negotiate").kind, FailureKind::kStalled);
  EXPECT_EQ(Value("time-up"), "tcp-negotiate");
  const auto next = std::ranges::find(result.steps, "rdma-connect", &ProbeStep::name);
  ASSERT_NE(next, result.steps.end());
  EXPECT_EQ(next->outcome, StepOutcome::kNotReached) << "not tried is not failed";
}

TEST_F(SmbProbe, MakesNoFurtherStepOnceTheCallerGaveUp) {
  bool gone = false;
  script = [&](std::span<const std::byte>) {
    gone = true;
    return Octets();
  };
  interrupted = [&] { return gone ? absl::CancelledError("the caller gave up") : absl::OkStatus(); };
  limit = milliseconds(500);
  Run();
  EXPECT_EQ(OutcomeOf("rdma-connect"), StepOutcome::kNotReached);
}

}  // namespace
}  // namespace rdmaready
