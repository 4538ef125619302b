// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/host_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "api/base/status.h"
#include "hub/judge/rule_book.h"

namespace rdmaready::hub {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class HostPlacesTest : public testing::Test {
 protected:
  HostPlacesTest() { std::filesystem::create_directories(root_); }
  ~HostPlacesTest() override { std::filesystem::remove_all(root_); }

  std::string Write(const std::string& text) const {
    std::ofstream(file_) << text;
    return file_;
  }

  const std::string root_ = testing::TempDir() + "places " + std::to_string(::getpid());
  const std::string file_ = root_ + "/fleet.yaml";
};

TEST_F(HostPlacesTest, AHostIsFoundByTheNameThatItReports) {
  const auto places = HostPlaces::Load(
      Write("groups:\n"
            "  storage: {hosts: [\"node[1-2]:7472\", a.one.example], racks: {r1: [\"node1:7472\"]}}\n"
            "  other: {hosts: [a.two.example, b.two.example, \"node1:7473\"]}\n"));
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_THAT((*places)->all(), SizeIs(5)) << "two agents of node1 are one host";
  ASSERT_NE((*places)->Find("node1"), nullptr);
  EXPECT_EQ((*places)->Find("node1")->group, "storage");
  EXPECT_EQ((*places)->Find("NODE1.example.org")->rack, "r1");
  EXPECT_EQ((*places)->Find("b")->group, "other");
  EXPECT_EQ((*places)->Find("a.two.example")->group, "other");
  EXPECT_EQ((*places)->Find("a"), nullptr) << "which of the two is not known";
  EXPECT_EQ((*places)->Find("b.three.example"), nullptr) << "another domain is another host";
  EXPECT_EQ((*places)->Find("node3"), nullptr);
}

TEST_F(HostPlacesTest, WhatIsWrongIsNamedWithFileAndLine) {
  EXPECT_THAT(Message(HostPlaces::Load(Write("hosts: [a]\ngroup: {}\n")).status()), HasSubstr(file_ + ":2"));
  EXPECT_THAT(Message(HostPlaces::Load(Write("profile: no-such\nhosts: [a]\n")).status()),
              AllOf(HasSubstr(file_ + ":1"), HasSubstr("no-such")));
  EXPECT_THAT(Message(HostPlaces::Load(Write("hosts: []\n")).status()), HasSubstr("names no host"));
  EXPECT_FALSE(HostPlaces::Load(root_ + "/nothing.yaml").ok());
}

TEST_F(HostPlacesTest, TheGroupsProfileWinsAndAnotherGroupIsAnotherDigest) {
  const auto book = [&](const std::string& text) {
    auto rules = RuleBook::Load({.profiles = {"smb-direct-roce"}, .inventory = Write(text)});
    EXPECT_TRUE(rules.ok()) << rules.status();
    return *rules;
  };
  const auto before =
      book("groups: {storage: {hosts: [a], profile: nvidia-lossless}, plain: {hosts: [b, c]}}\n");
  EXPECT_EQ(before->RulesOf("a", 0).profiles().front().name, "nvidia-lossless");
  EXPECT_EQ(before->RulesOf("b", 0).profiles().front().name, "smb-direct-roce");
  EXPECT_EQ(before->RulesOf("b", 0).group, "plain");
  EXPECT_FALSE(before->RulesOf("b", 0).unlisted);
  EXPECT_TRUE(before->RulesOf("z", 0).unlisted);
  const auto after = book("groups: {storage: {hosts: [a], profile: nvidia-lossless}, other: {hosts: [b]}}\n");
  EXPECT_EQ(before->RulesOf("a", 0).digest, after->RulesOf("a", 0).digest);
  EXPECT_NE(before->RulesOf("b", 0).digest, after->RulesOf("b", 0).digest);
  EXPECT_NE(before->RulesOf("c", 0).digest, after->RulesOf("c", 0).digest) << "it is listed no more";
}

}  // namespace
}  // namespace rdmaready::hub
