// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/identity_watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready::hub {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kWatchMinuteNs = 60'000'000'000;

class IdentityWatchTest : public testing::Test {
 protected:
  bool Hello(const std::string& run, const std::string& name = "node1", const std::string& machine = "m1",
             const std::string& id = "h1") {
    now_ += 1'000'000'000;
    return watch_
        .Hello({.host_id = id, .name = name, .machine_id = machine, .run_id = run, .peer = "ipv4:10.0.0.1:9"},
               now_)
        .ok();
  }
  std::vector<std::string> Notes() {
    std::vector<std::string> texts;
    for (const IdentityNote& note : watch_.TakeNotes()) texts.push_back(note.host_id + ": " + note.text);
    return texts;
  }

  IdentityWatch watch_;
  std::int64_t now_ = 1'000 * kWatchMinuteNs;
};

TEST_F(IdentityWatchTest, HostsThatAreContestedAreCounted) {
  EXPECT_EQ(watch_.CountContested(now_), 0u);
  for (const char* run : {"a", "b", "a", "b"}) Hello(run);
  for (const char* run : {"c", "d"}) Hello(run, "node2", "m2", "h2");
  EXPECT_EQ(watch_.CountContested(now_), 1u);
  EXPECT_EQ(watch_.CountContested(now_ + 16 * kWatchMinuteNs), 0u);
}

TEST_F(IdentityWatchTest, AHostThatComesAndGoesIsNoNews) {
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Hello("a"));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Hello(fmt::format("restart {}", i)));
  EXPECT_THAT(Notes(), IsEmpty());
}

TEST_F(IdentityWatchTest, ASnapshotThatIsBroughtBackIsNoClone) {
  Hello("a");
  Hello("b");
  EXPECT_TRUE(Hello("a"));
  Hello("c");
  EXPECT_TRUE(Hello("a"));
  EXPECT_EQ(watch_.Contested("h1", now_), "");
}

TEST_F(IdentityWatchTest, TwoThatComeInTurnsAreRefusedUntilOneOfThemIsGone) {
  EXPECT_TRUE(Hello("a", "node1"));
  EXPECT_TRUE(Hello("b", "node2"));
  EXPECT_TRUE(Hello("a", "node1"));
  EXPECT_FALSE(Hello("b", "node2"));
  EXPECT_FALSE(Hello("a", "node1"));
  EXPECT_THAT(watch_.Contested("h1", now_), HasSubstr("node1 (10.0.0.1) and node2 (10.0.0.1)"));
  Notes();
  now_ += 10 * kWatchMinuteNs;  // when who was refused comes again
  EXPECT_FALSE(Hello("a", "node1"));
  now_ += 6 * kWatchMinuteNs;
  EXPECT_TRUE(Hello("a", "node1"));
  EXPECT_EQ(watch_.Contested("h1", now_), "");
}

TEST_F(IdentityWatchTest, AContestIsNotedOnce) {
  Hello("a");
  Hello("b");
  for (int i = 0; i < 10; ++i) {
    Hello("a");
    Hello("b");
  }
  EXPECT_THAT(Notes(), SizeIs(1));
}

TEST_F(IdentityWatchTest, AnotherHostsContestIsNotMine) {
  Hello("a");
  Hello("b", "node2", "m2", "h2");
  EXPECT_TRUE(Hello("a"));
  EXPECT_TRUE(Hello("b", "node2", "m2", "h2"));
  EXPECT_EQ(watch_.Contested("h1", now_), "");
}

TEST_F(IdentityWatchTest, ARenamedHostIsTheSame) {
  watch_.Know("h1", "node1", "m1");
  EXPECT_TRUE(Hello("a", "node9"));
  EXPECT_THAT(Notes(), testing::ElementsAre("h1: has another name: it was node1"));
  EXPECT_TRUE(Hello("a", "node9"));
  EXPECT_THAT(Notes(), IsEmpty());
}

TEST_F(IdentityWatchTest, AReplacedHostIsAnotherOneOfTheSameName) {
  watch_.Know("h1", "node1", "m1");
  EXPECT_TRUE(Hello("a", "node1", "m2", "h2"));
  EXPECT_THAT(Notes(), testing::ElementsAre(HasSubstr("h2: has the name of another host, h1"),
                                            HasSubstr("h1: another host has its name now: h2")));
}

TEST_F(IdentityWatchTest, AnIdentityOnAnotherMachineIsNamed) {
  watch_.Know("h1", "node1", "m1");
  EXPECT_TRUE(Hello("a", "node1", "m2"));
  EXPECT_THAT(Notes(), testing::ElementsAre(HasSubstr("h1: reports from another machine")));
}

TEST_F(IdentityWatchTest, NotesOfOneHostAreThreeAnHour) {
  watch_.Know("h1", "node0", "m1");
  for (int i = 1; i < 20; ++i) Hello("a", fmt::format("node{}", i));
  EXPECT_THAT(Notes(), SizeIs(3));
  now_ += 61 * kWatchMinuteNs;
  Hello("a", "node20");
  EXPECT_THAT(Notes(), SizeIs(1));
}

}  // namespace
}  // namespace rdmaready::hub
