// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/hello.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "api/base/version.h"

namespace rdmaready::hub {
namespace {

using Kind = SubjectName::Kind;

v1::AgentHello Hello(const std::string& id) {
  v1::AgentHello hello;
  hello.set_host_id(id);
  hello.set_hostname("node1");
  hello.set_run_id("20261126T211700Z-00000001");
  return hello;
}

TEST(CheckRevision, OfTheHubAndOneBesideItIsTaken) {
  v1::AgentHello hello;
  EXPECT_TRUE(CheckRevision(hello).ok()) << "who names none is of the first";
  for (const std::uint32_t revision : {kIngestRevision - 1, kIngestRevision, kIngestRevision + 1}) {
    hello.set_api_revision(revision);
    EXPECT_TRUE(CheckRevision(hello).ok()) << revision;
  }
  hello.set_api_revision(kIngestRevision + 2);
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckRevision(hello)));
  EXPECT_THAT(Message(CheckRevision(hello)), testing::HasSubstr("update the hub"));
}

TEST(HostIdOf, WithoutTlsTheHostIsWhatItSays) {
  EXPECT_EQ(*HostIdOf(Hello("00000000-0000-4000-8000-000000000001"), nullptr),
            "00000000-0000-4000-8000-000000000001");
}

TEST(HostIdOf, ByTlsTheCertificateSays) {
  const std::vector<SubjectName> names{{Kind::kDns, "node1"},
                                       {Kind::kUri, "rdmaready:host/00000000-0000-4000-8000-000000000001"}};
  EXPECT_EQ(*HostIdOf(Hello(""), &names), "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(*HostIdOf(Hello("00000000-0000-4000-8000-000000000001"), &names),
            "00000000-0000-4000-8000-000000000001");
}

TEST(HostIdOf, WhoClaimsAnothersIdIsRefused) {
  const std::vector<SubjectName> names{{Kind::kUri, "rdmaready:host/00000000-0000-4000-8000-000000000001"}};
  EXPECT_TRUE(
      absl::IsPermissionDenied(HostIdOf(Hello("00000000-0000-4000-8000-000000000002"), &names).status()));
}

TEST(HostIdOf, ACertificateNamesOneHost) {
  const std::vector<SubjectName> none{{Kind::kDns, "node1"}, {Kind::kUri, "spiffe://example.org/node1"}};
  EXPECT_TRUE(absl::IsUnauthenticated(HostIdOf(Hello("00000000-0000-4000-8000-000000000001"), &none).status()));
  const std::vector<SubjectName> two{{Kind::kUri, "rdmaready:host/00000000-0000-4000-8000-000000000001"},
                                     {Kind::kUri, "rdmaready:host/00000000-0000-4000-8000-000000000002"}};
  EXPECT_TRUE(absl::IsUnauthenticated(HostIdOf(Hello("00000000-0000-4000-8000-000000000001"), &two).status()));
  const std::vector<SubjectName> bad{{Kind::kUri, "rdmaready:host/../../etc"}};
  EXPECT_TRUE(absl::IsUnauthenticated(HostIdOf(Hello(""), &bad).status()));
}

TEST(HostIdOf, WordsThatCannotBeAreRefused) {
  for (const char* id : {"", "short", "with blank 1", "slash/slash", "semi;colon"})
    EXPECT_TRUE(absl::IsInvalidArgument(HostIdOf(Hello(id), nullptr).status())) << id;
  EXPECT_TRUE(absl::IsInvalidArgument(HostIdOf(Hello(std::string(65, 'a')), nullptr).status()));
  v1::AgentHello hello = Hello("00000000-0000-4000-8000-000000000001");
  hello.set_hostname("two\nlines");
  EXPECT_TRUE(absl::IsInvalidArgument(HostIdOf(hello, nullptr).status()));
  hello.set_hostname(std::string(256, 'n'));
  EXPECT_TRUE(absl::IsInvalidArgument(HostIdOf(hello, nullptr).status()));
}

}  // namespace
}  // namespace rdmaready::hub
