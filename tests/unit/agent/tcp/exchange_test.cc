// SPDX-License-Identifier: Apache-2.0
#include "agent/tcp/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

using Memory = std::array<std::byte, 256>;

Memory Filled(int first) {
  Memory memory{};
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return memory;
}

// Takes what goes out, at most `most` octets.
std::vector<std::byte> Drain(TcpExchange& from, std::size_t most = 1 << 20) {
  std::vector<std::byte> octets;
  std::array<Octets, 3> parts;
  while (octets.size() < most) {
    const std::size_t count = from.Gather(parts);
    if (count == 0) break;
    const Octets part = parts[0].first(std::min(parts[0].size(), most - octets.size()));
    octets.insert(octets.end(), part.begin(), part.end());
    from.Sent(part.size());
  }
  return octets;
}

// Hands over all that goes out, in pieces.
void Carry(TcpExchange& from, TcpExchange& to, std::size_t piece = 1000) {
  for (std::vector<std::byte> octets = Drain(from, piece); !octets.empty(); octets = Drain(from, piece))
    EXPECT_EQ(to.Take(octets), octets.size());
}

std::vector<Completion> Take(TcpExchange& of) {
  std::vector<Completion> completions(16);
  completions.resize(of.Completed(completions));
  return completions;
}

FailureKind KindOf(const TcpExchange& of) { return FailureOf(of.broken()).kind; }

// One end with a piece of memory, and the other.
struct Pair {
  TcpExchange near{};
  TcpExchange far{};
  Memory here = Filled(1);
  Memory there{};
  MemoryId source = near.Register(here, Access::kSendSource);

  absl::Status Write(const RemoteSlice& to, std::uint32_t length, std::uint64_t id = 5, bool signaled = true) {
    const WorkRequest request{.work = Work::kWrite,
                              .id = id,
                              .local = {.memory = source, .length = length},
                              .remote = to,
                              .signaled = signaled};
    return near.Post({&request, 1});
  }
  absl::Status Send(std::uint64_t id, std::uint32_t length) {
    const WorkRequest request{.id = id, .local = {.memory = source, .length = length}};
    return near.Post({&request, 1});
  }
};

TEST(TcpExchange, CarriesASendIntoTheFirstReceiveWhateverThePieces) {
  for (const std::size_t piece : {1U, 7U, 32U, 33U, 1000U}) {
    Pair pair;
    const MemoryId target = pair.far.Register(pair.there, Access::kReceiveTarget);
    ASSERT_TRUE(pair.far.PostReceive(3, {.memory = target, .offset = 16, .length = 64}).ok());
    ASSERT_TRUE(pair.Send(8, 40).ok());
    Carry(pair.near, pair.far, piece);
    const std::vector<Completion> received = Take(pair.far);
    ASSERT_EQ(received.size(), 1U) << piece;
    EXPECT_EQ(received[0].work, Work::kReceive);
    EXPECT_EQ(received[0].id, 3U);
    EXPECT_EQ(received[0].bytes, 40U);
    EXPECT_TRUE(std::equal(pair.here.begin(), pair.here.begin() + 40, pair.there.begin() + 16));
    EXPECT_EQ(pair.there[56], std::byte{0});
    EXPECT_TRUE(Take(pair.near).empty()) << "it completes when the other end has it";
    Carry(pair.far, pair.near, piece);
    const std::vector<Completion> sent = Take(pair.near);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].work, Work::kSend);
    EXPECT_EQ(sent[0].id, 8U);
  }
}

TEST(TcpExchange, PutsASendTogetherFromTwoParts) {
  Pair pair;
  const MemoryId target = pair.far.Register(pair.there, Access::kReceiveTarget);
  ASSERT_TRUE(pair.far.PostReceive(0, {.memory = target, .length = 64}).ok());
  const WorkRequest request{.local = {.memory = pair.source, .length = 4},
                            .behind = {.memory = pair.source, .offset = 100, .length = 2}};
  ASSERT_TRUE(pair.near.Post({&request, 1}).ok());
  Carry(pair.near, pair.far);
  EXPECT_EQ(Take(pair.far)[0].bytes, 6U);
  EXPECT_EQ(pair.there[3], pair.here[3]);
  EXPECT_EQ(pair.there[4], pair.here[100]);
}

TEST(TcpExchange, CompletesAWriteWhenItIsInTheMemoryOfTheOtherEnd) {
  Pair pair;
  const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
  ASSERT_TRUE(pair.Write({.address = remote.address + 10, .rkey = remote.rkey}, 100).ok());
  Carry(pair.near, pair.far, 50);
  EXPECT_TRUE(pair.far.urgent()) << "the writer waits for it";
  EXPECT_TRUE(std::equal(pair.here.begin(), pair.here.begin() + 100, pair.there.begin() + 10));
  EXPECT_EQ(pair.there[9], std::byte{0});
  EXPECT_EQ(pair.there[110], std::byte{0});
  EXPECT_TRUE(Take(pair.far).empty()) << "nobody posted anything there";
  Carry(pair.far, pair.near);
  const std::vector<Completion> done = Take(pair.near);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].work, Work::kWrite);
  EXPECT_EQ(done[0].id, 5U);
}

TEST(TcpExchange, AnswersAReadFromItsMemory) {
  Pair pair;
  pair.there = Filled(77);
  Memory taken{};
  const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteRead));
  const WorkRequest request{
      .work = Work::kRead,
      .id = 6,
      .local = {.memory = pair.near.Register(taken, Access::kReadDestination), .length = 90},
      .remote = {.address = remote.address + 3, .rkey = remote.rkey}};
  ASSERT_TRUE(pair.near.Post({&request, 1}).ok());
  Carry(pair.near, pair.far);
  EXPECT_TRUE(pair.far.urgent());
  Carry(pair.far, pair.near, 40);
  ASSERT_EQ(Take(pair.near).size(), 1U);
  EXPECT_TRUE(std::equal(taken.begin(), taken.begin() + 90, pair.there.begin() + 3));
  EXPECT_EQ(taken[90], std::byte{0});
}

TEST(TcpExchange, CompletesOnlySignaledRequests) {
  Pair pair;
  const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
  const RemoteSlice to{.address = remote.address, .rkey = remote.rkey};
  for (const std::uint64_t id : {0U, 1U, 2U}) ASSERT_TRUE(pair.Write(to, 10, id, id == 2).ok());
  Carry(pair.near, pair.far);
  EXPECT_EQ(Drain(pair.far, kFrameBytes + 1).size(), kFrameBytes) << "one answer";
}

TEST(TcpExchange, KeepsTheOrderBehindASendThatFindsNoReceive) {
  Pair pair;
  Memory inbox{};
  const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
  const MemoryId target = pair.far.Register(inbox, Access::kReceiveTarget);
  ASSERT_TRUE(pair.Send(0, 20).ok());
  ASSERT_TRUE(pair.Write({.address = remote.address, .rkey = remote.rkey}, 30).ok());
  const std::vector<std::byte> octets = Drain(pair.near);
  const std::size_t taken = pair.far.Take(octets);
  EXPECT_EQ(taken, kFrameBytes);
  EXPECT_TRUE(pair.far.stalled());
  EXPECT_EQ(pair.far.Take(Octets(octets).subspan(taken)), 0U);
  ASSERT_TRUE(pair.far.PostReceive(1, {.memory = target, .length = 64}).ok());
  EXPECT_FALSE(pair.far.stalled());
  EXPECT_EQ(pair.far.Take(Octets(octets).subspan(taken)), octets.size() - taken);
  EXPECT_EQ(Take(pair.far).size(), 1U);
  EXPECT_EQ(inbox[19], pair.here[19]);
  EXPECT_EQ(pair.there[29], pair.here[29]);
}

TEST(TcpExchange, LetsThePayloadBeReadWhereItBelongs) {
  Pair pair;
  const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
  ASSERT_TRUE(pair.Write({.address = remote.address, .rkey = remote.rkey}, 100).ok());
  const std::vector<std::byte> octets = Drain(pair.near);
  EXPECT_EQ(pair.far.Take(Octets(octets).first(kFrameBytes + 1)), kFrameBytes + 1);
  ASSERT_EQ(pair.far.Wanted().size(), 99U);
  EXPECT_EQ(pair.far.Wanted().data(), pair.there.data() + 1);
  std::copy_n(octets.begin() + kFrameBytes + 1, 99, pair.far.Wanted().begin());
  pair.far.Placed(99);
  EXPECT_TRUE(pair.far.Wanted().empty());
  EXPECT_TRUE(pair.far.has_output()) << "the answer";
  EXPECT_TRUE(std::equal(pair.here.begin(), pair.here.begin() + 100, pair.there.begin()));
}

TEST(TcpExchange, RefusesAnAccessThatLeavesItsMemory) {
  struct Case {
    std::string_view name;
    std::int64_t offset;  // to the address
    std::int64_t key;     // to the key
    std::uint32_t length;
  };
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  for (const Case& wrong :
       {Case{"a byte too many", 0, 0, 257}, Case{"behind the end", 256, 0, 1},
        Case{"at its last byte", 255, 0, 2}, Case{"before it", -1, 0, 1}, Case{"far away", kFar, 0, 1},
        Case{"the next key", 0, 1, 1}, Case{"key 0", 0, -1, 1}, Case{"a key of no memory", 0, 1000, 1}}) {
    Pair pair;
    std::array<std::byte, 300> wide{};
    pair.source = pair.near.Register(wide, Access::kSendSource);
    wide.fill(std::byte{0xee});
    const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
    const RemoteSlice to{.address = remote.address + static_cast<std::uint64_t>(wrong.offset),
                         .rkey = static_cast<std::uint32_t>(remote.rkey + wrong.key)};
    ASSERT_TRUE(pair.Write(to, wrong.length).ok());
    const std::vector<std::byte> octets = Drain(pair.near);
    EXPECT_EQ(pair.far.Take(octets), kFrameBytes) << wrong.name;
    EXPECT_EQ(KindOf(pair.far), FailureKind::kDisconnected) << wrong.name;
    EXPECT_EQ(pair.there, Memory{}) << wrong.name;
    EXPECT_TRUE(pair.far.urgent());
    Carry(pair.far, pair.near);
    EXPECT_EQ(KindOf(pair.near), FailureKind::kCompletion) << wrong.name;
    EXPECT_THAT(std::string(pair.near.broken().message()), HasSubstr("remote access error (message 5)"));
  }
}

TEST(TcpExchange, RefusesAnAccessThatTheRegistrationDoesNotAllow) {
  for (const Access access : {Access::kSendSource, Access::kReceiveTarget, Access::kReadDestination,
                              Access::kRemoteRead, Access::kWindowedWrite}) {
    Pair pair;
    const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, access));
    ASSERT_TRUE(pair.Write({.address = remote.address, .rkey = remote.rkey}, 1).ok());
    EXPECT_EQ(pair.far.Take(Drain(pair.near)), kFrameBytes);
    EXPECT_EQ(KindOf(pair.far), FailureKind::kDisconnected);
    EXPECT_EQ(pair.there, Memory{});
  }
}

TEST(TcpExchange, RefusesAReadOfMemoryThatThePeerMayOnlyWrite) {
  Pair pair;
  Memory taken{};
  const RemoteMemory remote = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
  const WorkRequest request{
      .work = Work::kRead,
      .local = {.memory = pair.near.Register(taken, Access::kReadDestination), .length = 8},
      .remote = {.address = remote.address, .rkey = remote.rkey}};
  ASSERT_TRUE(pair.near.Post({&request, 1}).ok());
  Carry(pair.near, pair.far);
  Carry(pair.far, pair.near);
  EXPECT_EQ(KindOf(pair.near), FailureKind::kCompletion);
}

TEST(TcpExchange, RefusesASendThatIsLongerThanItsReceive) {
  Pair pair;
  const MemoryId target = pair.far.Register(pair.there, Access::kReceiveTarget);
  ASSERT_TRUE(pair.far.PostReceive(0, {.memory = target, .length = 10}).ok());
  ASSERT_TRUE(pair.Send(0, 11).ok());
  EXPECT_EQ(pair.far.Take(Drain(pair.near)), kFrameBytes);
  EXPECT_EQ(KindOf(pair.far), FailureKind::kDisconnected);
  EXPECT_EQ(pair.there, Memory{});
}

TEST(TcpExchange, NeverUsesAKeyAgain) {
  Pair pair;
  const MemoryId first = pair.far.Register(pair.there, Access::kRemoteWrite);
  const RemoteMemory old = pair.far.Remote(first);
  pair.far.Unregister(first);
  EXPECT_EQ(pair.far.Remote(first), RemoteMemory{});
  const RemoteMemory fresh = pair.far.Remote(pair.far.Register(pair.there, Access::kRemoteWrite));
  EXPECT_NE(fresh.rkey, old.rkey);
  EXPECT_NE(fresh.address, old.address);
  ASSERT_TRUE(pair.Write({.address = old.address, .rkey = old.rkey}, 1).ok());
  EXPECT_EQ(pair.far.Take(Drain(pair.near)), kFrameBytes);
  EXPECT_EQ(pair.there, Memory{});
}

TEST(TcpExchange, PlacesNothingMoreInMemoryThatIsUnregistered) {
  Pair pair;
  const MemoryId memory = pair.far.Register(pair.there, Access::kRemoteWrite);
  const RemoteMemory remote = pair.far.Remote(memory);
  ASSERT_TRUE(pair.Write({.address = remote.address, .rkey = remote.rkey}, 100).ok());
  const std::vector<std::byte> octets = Drain(pair.near);
  EXPECT_EQ(pair.far.Take(Octets(octets).first(kFrameBytes + 10)), kFrameBytes + 10);
  pair.far.Unregister(memory);
  EXPECT_TRUE(pair.far.Wanted().empty());
  EXPECT_EQ(pair.far.Take(Octets(octets).subspan(kFrameBytes + 10)), 0U);
  EXPECT_EQ(pair.there[10], std::byte{0});
  EXPECT_EQ(KindOf(pair.far), FailureKind::kDisconnected);
}

TEST(TcpExchange, SendsNothingMoreFromMemoryThatIsUnregistered) {
  Pair pair;
  ASSERT_TRUE(pair.Send(0, 100).ok());
  pair.near.Unregister(pair.source);
  EXPECT_FALSE(pair.near.has_output());
  EXPECT_EQ(KindOf(pair.near), FailureKind::kDisconnected);
}

TEST(TcpExchange, ForgetsReceivesIntoMemoryThatIsUnregistered) {
  Pair pair;
  const MemoryId target = pair.far.Register(pair.there, Access::kReceiveTarget);
  ASSERT_TRUE(pair.far.PostReceive(0, {.memory = target, .length = 64}).ok());
  pair.far.Unregister(target);
  EXPECT_TRUE(pair.far.broken().ok());
  ASSERT_TRUE(pair.Send(0, 8).ok());
  pair.far.Take(Drain(pair.near));
  EXPECT_TRUE(pair.far.stalled());
  EXPECT_EQ(pair.there, Memory{});
}

TEST(TcpExchange, RefusesToPostWhatLeavesItsOwnMemory) {
  Pair pair;
  EXPECT_FALSE(pair.near.PostReceive(0, {.memory = pair.source, .offset = 200, .length = 57}).ok());
  EXPECT_FALSE(pair.near.PostReceive(0, {.memory = {.index = 9}, .length = 1}).ok());
  EXPECT_FALSE(pair.Send(0, 257).ok());
  EXPECT_FALSE(pair.near.has_output());
}

TEST(TcpExchange, EndsOnBytesThatAreNotAFrame) {
  TcpExchange end;
  std::array<std::byte, 100> octets{};
  octets.fill(std::byte{0x47});
  EXPECT_EQ(end.Take(octets), kFrameBytes);
  EXPECT_EQ(KindOf(end), FailureKind::kDisconnected);
  EXPECT_THAT(std::string(end.broken().message()), HasSubstr("not a frame"));
  EXPECT_FALSE(end.has_output());
}

TEST(TcpExchange, EndsOnAnAnswerThatIsOutOfTurn) {
  Memory taken{};
  for (const Frame& frame :
       {Frame{.kind = FrameKind::kDone, .id = 2}, Frame{.kind = FrameKind::kRefused, .id = 2},
        Frame{.kind = FrameKind::kData, .id = 2, .length = 8}, Frame{.kind = FrameKind::kDone, .id = 1},
        Frame{.kind = FrameKind::kData, .id = 1, .length = 9}}) {
    TcpExchange end;
    const WorkRequest request{.work = Work::kRead,
                              .id = 1,
                              .local = {.memory = end.Register(taken, Access::kReadDestination), .length = 8}};
    ASSERT_TRUE(end.Post({&request, 1}).ok());
    EXPECT_EQ(end.Take(EncodeFrame(frame)), kFrameBytes);
    EXPECT_EQ(KindOf(end), FailureKind::kDisconnected) << static_cast<int>(frame.kind);
    EXPECT_THAT(std::string(end.broken().message()), HasSubstr("broke the protocol"));
    EXPECT_TRUE(Take(end).empty());
  }
}

TEST(TcpExchange, EndsWhenThePeerReadsNoneOfTheAnswersThatItAsksFor) {
  TcpExchange end;
  Memory memory{};
  const RemoteMemory remote = end.Remote(end.Register(memory, Access::kRemoteRead));
  const FrameHeader ask =
      EncodeFrame({.kind = FrameKind::kRead, .key = remote.rkey, .address = remote.address, .length = 256});
  for (std::size_t i = 0; i < kMostReplies; ++i) ASSERT_EQ(end.Take(ask), kFrameBytes);
  EXPECT_TRUE(end.broken().ok());
  end.Take(ask);
  EXPECT_EQ(KindOf(end), FailureKind::kDisconnected);
}

}  // namespace
}  // namespace rdmaready
