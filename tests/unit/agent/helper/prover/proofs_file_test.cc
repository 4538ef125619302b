// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/prover/proofs_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kShares[] =
    "targets:\n"
    "  - protocol: smb\n"
    "    server: nas1\n"
    "    addresses: [192.0.2.7, 'fe80::7%eth0']\n"
    "    volume: scratch\n"
    "    credentials: /etc/rdmaready/nas1\n"
    "  - protocol: smb\n"
    "    server: nas2\n"
    "    addresses: [192.0.2.8]\n"
    "    volume: scratch\n"
    "    callers_credentials: true\n"
    "  - {protocol: nvme, server: 192.0.2.9, port: 4421, volume: 'nqn.2026-01.org.example:disk1'}\n"
    "  - {protocol: nfs, server: '2001:db8::1', volume: /a}\n"
    "  - {protocol: nfs, server: '2001:db8::1', volume: /b}\n";

std::string Trouble(std::string_view yaml) {
  const auto targets = ParseProofs(yaml, "p.yaml");
  return targets.ok() ? "none" : Message(targets.status());
}

std::vector<ProofTarget> Targets() { return *ParseProofs(kShares, "p.yaml"); }

TEST(ProofsFile, NamesTargetsAndFillsInWhatTheProtocolHas) {
  const auto targets = ParseProofs(kShares, "p.yaml");
  ASSERT_TRUE(targets.ok()) << targets.status();
  ASSERT_THAT(*targets, SizeIs(5));
  const ProofTarget& share = targets->front();
  EXPECT_EQ(share.protocol, Protocol::kSmb);
  EXPECT_THAT(share.addresses, ElementsAre("192.0.2.7", "fe80::7%eth0"));
  EXPECT_EQ(share.port, 445);
  EXPECT_EQ(share.credentials_file, "/etc/rdmaready/nas1");
  EXPECT_FALSE(share.callers_credentials);
  EXPECT_EQ((*targets)[2].port, 4421);
  EXPECT_THAT((*targets)[2].addresses, ElementsAre("192.0.2.9"));
  EXPECT_EQ((*targets)[3].port, 20049);
}

TEST(ProofsFile, AnEmptyOneAllowsNothing) {
  const auto targets = ParseProofs("targets: []\n", "p.yaml");
  ASSERT_TRUE(targets.ok()) << targets.status();
  EXPECT_THAT(*targets, SizeIs(0));
  EXPECT_THAT(Trouble(""), HasSubstr("the file is empty"));
}

TEST(ProofsFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT(Trouble("targets:\n  - protocol: nfs\n    server: 192.0.2.9\n    volumes: /a\n"),
              HasSubstr("p.yaml:4: unknown key `volumes` in `targets[0]` (did you mean `volume`?)"));
  EXPECT_THAT(Trouble("targets:\n  - {server: 192.0.2.9, volume: /a}\n"), HasSubstr("p.yaml:2: a target needs a `protocol`"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: ftp, server: 192.0.2.9, volume: /a}\n"), HasSubstr("p.yaml:2: "));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nfs, volume: /a}\n"), HasSubstr("needs a `server`"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nfs, server: nas, volume: /a}\n"), HasSubstr("give its `addresses`"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nfs, server: nas, addresses: [nas], volume: /a}\n"),
              HasSubstr("nas is no numeric address"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nfs, server: 192.0.2.9, port: 65536, volume: /a}\n"),
              HasSubstr("at most 65535"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nfs, server: 192.0.2.9, volume: a}\n"), HasSubstr("needs a `volume`"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nvme, server: 192.0.2.9, volume: 'nqn.a,hostid=1'}\n"),
              HasSubstr("a subsystem's NQN"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: smb, server: 192.0.2.9, volume: 'a/b', callers_credentials: true}\n"),
              HasSubstr("the name of a share"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: smb, server: 192.0.2.9, volume: a}\n"), HasSubstr("needs `credentials`"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: smb, server: 192.0.2.9, volume: a, credentials: x}\n"),
              HasSubstr("a path from / on"));
  EXPECT_THAT(Trouble("targets:\n  - {protocol: nfs, server: 192.0.2.9, volume: /a, callers_credentials: true}\n"),
              HasSubstr("credentials are for smb"));
}

TEST(ProofsFile, IsBounded) {
  std::string many = "targets:\n";
  for (std::size_t i = 0; i <= kMostProofTargets; ++i) many += "  - {protocol: nfs, server: 192.0.2.9, volume: /a}\n";
  EXPECT_THAT(Trouble(many), HasSubstr("p.yaml:2: key `targets`: the list is too long"));
}

class ProofsFileOnDisk : public testing::Test {
 protected:
  ProofsFileOnDisk() { std::ofstream(path_) << kShares; }
  ~ProofsFileOnDisk() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "proofs " + std::to_string(::getpid()) + ".yaml";
};

TEST_F(ProofsFileOnDisk, IsBelievedOnlyWhereNobodyElseCanWriteIt) {
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  EXPECT_TRUE(LoadProofs(path_, ::geteuid()).ok());
  for (const ::mode_t mode : {0664U, 0646U, 0666U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const absl::Status status = LoadProofs(path_, ::geteuid()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  }
}

TEST_F(ProofsFileOnDisk, OfAnotherUserIsNotBelieved) {
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  const absl::Status status = LoadProofs(path_, ::geteuid() + 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(Message(status), HasSubstr("of user " + std::to_string(::geteuid())));
}

TEST(ProofTargets, AreFoundByTheServersNameOrAnyOfItsAddresses) {
  for (const char* server : {"nas1", "192.0.2.7", "::ffff:192.0.2.7", "fe80:0::7%eth0"}) {
    const auto found = FindTarget(Targets(), {.protocol = Protocol::kSmb, .server = server}, "p.yaml");
    ASSERT_TRUE(found.ok()) << server << found.status();
    EXPECT_EQ(found->server, "nas1");
  }
}

TEST(ProofTargets, OfAnotherServerPortVolumeOrProtocolAreNotAllowedAndNamed) {
  const std::vector<ProofWish> wishes{
      {.protocol = Protocol::kSmb, .server = "nas3", .volume = "scratch"},
      {.protocol = Protocol::kSmb, .server = "192.0.2.70", .volume = "scratch"},
      {.protocol = Protocol::kSmb, .server = "nas1", .volume = "payroll"},
      {.protocol = Protocol::kSmb, .server = "nas1", .port_number = 4455, .volume = "scratch"},
      {.protocol = Protocol::kNfs, .server = "nas1", .volume = "scratch"},
      {.protocol = Protocol::kSmb, .server = "fe80::7%eth1", .volume = "scratch"},
      {.protocol = Protocol::kNvme, .server = "192.0.2.9", .volume = "nqn.2026-01.org.example:disk1"}};
  for (const ProofWish& wish : wishes) {
    const auto found = FindTarget(Targets(), wish, "p.yaml");
    EXPECT_EQ(found.status().code(), absl::StatusCode::kPermissionDenied) << wish.server << found.status();
    EXPECT_THAT(Message(found.status()), HasSubstr("not allowed: p.yaml does not name"));
    EXPECT_THAT(Message(found.status()), HasSubstr(wish.server));
  }
}

TEST(ProofTargets, ThatNobodyNamedAreChosenWhereThereIsOneAndListedWhereThereAreMore) {
  const auto one = FindTarget(
      Targets(), {.protocol = Protocol::kNvme, .server = "192.0.2.9", .port_number = 4421}, "p.yaml");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->volume, "nqn.2026-01.org.example:disk1");
  const auto several = FindTarget(Targets(), {.protocol = Protocol::kNfs, .server = "2001:db8::1"}, "p.yaml");
  EXPECT_EQ(several.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(several.status()), HasSubstr("/a, /b"));
}

TEST(ProofTargets, SayWhoseCredentialsCount) {
  const ProofWish own{.protocol = Protocol::kSmb, .server = "nas1", .credentials = true};
  EXPECT_EQ(FindTarget(Targets(), own, "p.yaml").status().code(), absl::StatusCode::kPermissionDenied);
  const ProofWish lacking{.protocol = Protocol::kSmb, .server = "nas2"};
  EXPECT_EQ(FindTarget(Targets(), lacking, "p.yaml").status().code(), absl::StatusCode::kInvalidArgument);
  const ProofWish brought{.protocol = Protocol::kSmb, .server = "nas2", .credentials = true};
  EXPECT_TRUE(FindTarget(Targets(), brought, "p.yaml").ok());
}

}  // namespace
}  // namespace rdmaready::helper
