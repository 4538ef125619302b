// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/smbdirect/soak.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

#include "tests/unit/agent/smbdirect/driver.h"

namespace rdmaready::smbdirect {
namespace {

constexpr std::uint64_t kMessagesPerSession = 1'000;
constexpr std::size_t kPoolBytes = 1 << 20;
constexpr std::size_t kMostMessageBytes = 131'072;
constexpr std::size_t kMostWaiting = 16;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t Next() { return engine_(); }
  std::uint64_t Between(std::uint64_t least, std::uint64_t most) { return least + Next() % (most - least + 1); }
  bool OneIn(std::uint64_t n) { return Next() % n == 0; }

 private:
  std::mt19937_64 engine_;
};

std::uint64_t Mix(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::vector<std::byte> MakePool() {
  std::vector<std::byte> pool(kPoolBytes + kMostMessageBytes);
  Random random(4711);
  for (std::byte& byte : pool) byte = static_cast<std::byte>(random.Next() & 0xff);
  return pool;
}

// Message `number` of a stream is a slice of random bytes: the sender's memory and the receiver's expectation.
Bytes Content(std::uint64_t stream, std::uint64_t number) {
  static const std::vector<std::byte> pool = MakePool();
  const std::uint64_t a = Mix(stream * 1'000'003 + number);
  const std::uint64_t b = Mix(a);
  const std::array<std::size_t, 8> most = {16, 1'340, 1'340, 1'500, 1'500, 3'000, 8'192, 16'384};
  const std::size_t limit = a % 256 == 0 ? kMostMessageBytes : most[a % most.size()];
  return Bytes(pool).subspan((b >> 20) % kPoolBytes, 1 + (a >> 8) % limit);
}

std::uint16_t RandomCredits(Random& random) {
  return static_cast<std::uint16_t>(random.OneIn(3) ? random.Between(1, 4) : random.Between(1, 255));
}

std::uint32_t RandomBytes(Random& random) {
  return static_cast<std::uint32_t>(random.OneIn(4) ? random.Between(128, 256) : random.Between(128, 8'192));
}

Settings RandomSettings(Random& random) {
  return {.receive_credit_max = RandomCredits(random),
          .send_credit_target = RandomCredits(random),
          .max_send_bytes = RandomBytes(random),
          .max_receive_bytes = RandomBytes(random),
          .max_fragmented_bytes = 131'072,
          .max_sends_in_flight = static_cast<std::uint32_t>(random.Between(1, 64)),
          .policy = random.OneIn(8) ? NegotiatePolicy{.grant_regardless = true} : NegotiatePolicy{}};
}

// One end and what it has yet to send and to see.
struct Side {
  Side(Role role, const Settings& settings, std::uint64_t in, std::uint64_t out)
      : driver(role, settings), stream_in(in), stream_out(out) {
    driver.on_deliver = [this](Bytes message, std::optional<std::uint32_t>) { Check(message); };
    driver.on_submitted = [this](std::uint64_t cookie) {
      if (cookie != completed++) Fault("completed out of order");
    };
  }
  void Check(Bytes message) {
    const Bytes expected = Content(stream_in, seen++);
    if (!std::ranges::equal(message, expected)) Fault("a message that differs from the one sent");
    payload_bytes += message.size();
  }
  void Fault(const char* what) {
    if (fault.empty()) fault = what;
  }

  Driver driver;
  const std::uint64_t stream_in;
  const std::uint64_t stream_out;
  std::uint64_t to_send = 0;
  std::uint64_t sent = 0;
  std::uint64_t completed = 0;
  std::uint64_t seen = 0;
  std::uint64_t payload_bytes = 0;
  std::string fault{};
};

class Session {
 public:
  Session(std::uint64_t seed, std::uint64_t messages)
      : random_(seed),
        a_(Role::kInitiator, RandomSettings(random_), seed * 2, seed * 2 + 1),
        b_(Role::kResponder, RandomSettings(random_), seed * 2 + 1, seed * 2) {
    a_.to_send = random_.Between(0, messages);
    b_.to_send = messages - a_.to_send;
  }

  // What went wrong; empty when nothing did.
  std::string Run(SoakOutcome& outcome) {
    a_.driver.Connect(now_);
    b_.driver.Connect(now_);
    while (fault_.empty() && !Done()) {
      Step();
      Judge();
    }
    if (fault_.empty()) Silence();
    Judge();
    Count(outcome);
    return fault_;
  }

 private:
  bool Done() const { return a_.seen == b_.to_send && b_.seen == a_.to_send; }

  void Step() {
    Side& side = random_.OneIn(2) ? a_ : b_;
    Side& other = &side == &a_ ? b_ : a_;
    switch (random_.Between(0, 9)) {
      case 0:
      case 1:
      case 2:
        return Submit(side, random_.Between(1, 8));
      case 3:
      case 4:
      case 5:
      case 6:
        return Carry(side, other, random_.Between(1, 32));
      case 7:
        return side.driver.CompleteSends(random_.Between(1, 32));
      case 8:
        return Change(side);
      default:
        if (random_.OneIn(8)) Silence();
    }
  }

  void Submit(Side& side, std::uint64_t count) {
    for (; count > 0 && side.sent < side.to_send && side.driver.connection().established() &&
           side.driver.connection().waiting_messages() < kMostWaiting;
         --count) {
      const Message message{.bytes = Content(side.stream_out, side.sent), .cookie = side.sent};
      if (!side.driver.Submit(message).ok()) return side.Fault("a message was refused");
      ++side.sent;
    }
  }

  void Carry(Side& from, Side& to, std::uint64_t count) {
    for (; count > 0 && !from.driver.wire.empty(); --count) {
      const WireMessage message = std::move(from.driver.wire.front());
      from.driver.wire.pop_front();
      if (!to.driver.Arrive(message, now_)) return to.Fault("a message without a posted receive");
    }
  }

  void Change(Side& side) {
    side.driver.connection().SetCreditTarget(RandomCredits(random_));
    const bool tiny = random_.OneIn(32);
    const std::uint64_t most = tiny ? 16 : 8'192;
    side.driver.connection().SetFragmentLimit(static_cast<std::uint32_t>(random_.Between(1, most)));
    if (!tiny && random_.OneIn(2)) side.driver.connection().SetFragmentLimit(8'192);
  }

  // Carries and completes everything there is, looks at the books, and lets time pass.
  void Silence() {
    for (int rounds = 0; rounds < 1'000'000; ++rounds) {
      if (a_.driver.wire.empty() && b_.driver.wire.empty()) break;
      Carry(a_, b_, ~0ull);
      a_.driver.CompleteSends();
      Carry(b_, a_, ~0ull);
      b_.driver.CompleteSends();
      Judge();
      if (!fault_.empty()) return;
    }
    a_.driver.CompleteSends();
    b_.driver.CompleteSends();
    if (!a_.driver.wire.empty() || !b_.driver.wire.empty())
      return;  // the completions made room: not yet silent
    ++silences_;
    const Connection& a = a_.driver.connection();
    const Connection& b = b_.driver.connection();
    if (a.waiting_messages() + b.waiting_messages() > 0) fault_ = "both silent with messages waiting";
    if (a.send_credits() != b.receive_credits() || b.send_credits() != a.receive_credits()) {
      fault_ = "the credits do not add up";
    }
    if (a_.completed != a_.sent || b_.completed != b_.sent) fault_ = "sent and never complete";
    Pass(std::chrono::milliseconds(random_.Between(0, 130'000)));
  }

  void Pass(std::chrono::milliseconds time) {
    now_ += time;
    for (Side* side : {&a_, &b_}) {
      if (side->driver.timer && *side->driver.timer <= now_) side->driver.Timer(now_);
    }
  }

  void Judge() {
    if (!fault_.empty()) return;
    for (const Side* side : {&a_, &b_}) {
      if (!side->fault.empty()) fault_ = side->fault;
      if (!side->driver.breach().empty()) fault_ = side->driver.breach();
      if (side->driver.end) fault_ = Text(side->driver.end->reason);
    }
  }

  void Count(SoakOutcome& outcome) {
    ++outcome.sessions;
    outcome.silences += silences_;
    for (Side* side : {&a_, &b_}) {
      const Counters& counters = side->driver.connection().counters();
      outcome.messages += side->seen;
      outcome.payload_bytes += side->payload_bytes;
      outcome.wire_messages += counters.sent;
      outcome.empty_messages += counters.sent_empty;
      outcome.keepalives += counters.keepalives_sent;
    }
  }

  Random random_;
  TimePoint now_{std::chrono::hours{1}};
  Side a_;
  Side b_;
  std::uint64_t silences_ = 0;
  std::string fault_{};
};

}  // namespace

SoakOutcome RunSoak(std::uint64_t seed, std::uint64_t messages) {
  SoakOutcome outcome;
  while (outcome.messages < messages) {
    const std::uint64_t session_seed = Mix(seed + outcome.sessions);
    const std::uint64_t count = std::min(kMessagesPerSession, messages - outcome.messages);
    Session session(session_seed, count);
    if (const std::string fault = session.Run(outcome); !fault.empty()) {
      std::ostringstream text;
      text << fault << " (seed " << seed << ", session " << outcome.sessions << ")";
      outcome.failure = text.str();
      return outcome;
    }
  }
  return outcome;
}

}  // namespace rdmaready::smbdirect
