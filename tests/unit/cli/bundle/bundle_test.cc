// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "cli/bundle/manifest.h"

namespace rdmaready::bundle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kEnough = std::size_t{1} << 20;

BundledHost HostNamed(const std::string& name) {
  return {.name = name,
          .folder = name,
          .versions = {{"agent", "0.1.0"}, {"kernel", "6.12.0"}},
          .members = {{"recording/recording.json", "{}\n"},
                      {"recording/files/etc/machine-id", "0123\n"},
                      {"report.json", std::string(3000, 'r')},
                      {"history.json", std::string(3000, 'h')},
                      {"events.json", std::string(3000, 'e')}}};
}

Bundle Two() {
  return {.version = "0.1.0",
          .created_unix_ns = 1'700'000'000'000'000'000,
          .hosts = {HostNamed("a"), HostNamed("b")},
          .left_out = {{"b", "events", "the agent is too old"}}};
}

std::string Tar(const Bundle& bundle) {
  const absl::StatusOr<EncodedBundle> encoded = Encode(bundle, kEnough);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  return encoded.ok() ? encoded->tar : "";
}

void ExpectRefusedBundle(const std::string& bytes, const std::string& why) {
  const absl::StatusOr<Bundle> read = Decode(bytes);
  ASSERT_FALSE(read.ok()) << why;
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(read.status()), HasSubstr(why));
  EXPECT_EQ(Message(read.status()).find('\n'), std::string::npos);
}

// The members of a bundle, changed, as a tar.
template <class Change>
std::string With(Change change) {
  Members members = *ReadTar(Tar(Two()));
  change(members);
  return *WriteTar(members, kManifest);
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  EXPECT_NE(text.find(what), std::string::npos) << what;
  return text.replace(text.find(what), what.size(), by);
}

TEST(Bundle, IsOfTheOlderFormatWhereAnOlderProgramReadsIt) {
  EXPECT_THAT(ManifestText(Two(), {}), HasSubstr("\"format\": 1"));
  Bundle with_profiles = Two();
  with_profiles.hosts[1].members.emplace("judged_by.json", "{}");
  EXPECT_THAT(ManifestText(with_profiles, {}), HasSubstr("\"format\": 2"));
  const absl::StatusOr<Bundle> read = Decode(Tar(with_profiles));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->hosts[1].members.at("judged_by.json"), "{}");
}

TEST(Bundle, GivesBackWhatWasPutIntoIt) {
  for (const std::string& bytes : {Tar(Two()), *Gzip(Tar(Two()))}) {
    const absl::StatusOr<Bundle> read = Decode(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, Two());
  }
}

TEST(Bundle, IsTheSameBytesForTheSameHosts) {
  EXPECT_EQ(Tar(Two()), Tar(Two()));
  EXPECT_EQ(*Gzip(Tar(Two())), *Gzip(Tar(Two())));
}

TEST(Bundle, NamesEachMemberWithItsSizeAndDigest) {
  const Members members = *ReadTar(Tar(Two()));
  const absl::StatusOr<Manifest> manifest = ReadManifest(members.at("manifest.json"));
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->members.size(), members.size() - 1);
  for (const ListedMember& one : manifest->members) {
    EXPECT_EQ(members.at(one.path).size(), one.bytes);
    EXPECT_EQ(*Sha256(members.at(one.path)), one.sha256);
  }
}

TEST(Bundle, KeepsHostsOfOneNameApart) {
  Bundle bundle = Two();
  bundle.hosts = {{.name = "[::1]:7471", .members = {{"report.json", "1"}}},
                  {.name = "[::1]_7471", .members = {{"report.json", "2"}}}};
  const absl::StatusOr<Bundle> read = Decode(Tar(bundle));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NE(read->hosts[0].folder, read->hosts[1].folder);
  EXPECT_EQ(read->hosts[1].members.at("report.json"), "2");
}

TEST(Bundle, LeavesOutEventsThenHistoriesThenReportsAndRecordingsLast) {
  std::vector<std::string> order;
  for (std::size_t most = Tar(Two()).size(); most > 3000; most -= 512) {
    const absl::StatusOr<EncodedBundle> encoded = Encode(Two(), most);
    if (!encoded.ok()) break;
    EXPECT_LE(encoded->tar.size(), most);
    ASSERT_TRUE(Decode(encoded->tar).ok());
    EXPECT_EQ(Decode(encoded->tar)->left_out, encoded->left_out);
    order.clear();
    for (std::size_t i = 1; i < encoded->left_out.size(); ++i) {  // the first one was there before
      order.push_back(encoded->left_out[i].what + " of " + encoded->left_out[i].host);
      EXPECT_THAT(encoded->left_out[i].why, HasSubstr("would not fit"));
    }
  }
  EXPECT_THAT(order, ElementsAre("events of b", "events of a", "history of b", "history of a", "report of b",
                                 "report of a", "recording of b", "recording of a"));
}

TEST(Bundle, OfNoRoomAtAllIsAnError) {
  EXPECT_EQ(Encode(Two(), 1024).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Bundle, NamesAHostThatDidNotAnswer) {
  Bundle bundle = Two();
  bundle.hosts[1] = {.name = "b", .folder = "b", .error = "host b: connection refused"};
  const absl::StatusOr<Bundle> read = Decode(Tar(bundle));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->hosts[1].error, "host b: connection refused");
}

TEST(Bundle, RefusesMembersThatTheManifestDoesNotNameSo) {
  ExpectRefusedBundle(With([](Members& all) { all["hosts/a/report.json"][0] = 'x'; }),
                      "hosts/a/report.json: damaged: its digest differs");
  ExpectRefusedBundle(With([](Members& all) { all["hosts/a/report.json"] += 'x'; }),
                      "hosts/a/report.json: damaged: its size differs");
  ExpectRefusedBundle(With([](Members& all) { all.erase("hosts/a/report.json"); }),
                      "hosts/a/report.json: missing");
  ExpectRefusedBundle(With([](Members& all) { all["hosts/a/more"] = "x"; }),
                      "hosts/a/more: the manifest does not name it");
  ExpectRefusedBundle(With([](Members& all) { all.erase("manifest.json"); }), "it has no manifest.json");
}

TEST(Bundle, RefusesAManifestOfNoSense) {
  const auto of = [](const std::string& what, const std::string& by) {
    return With([&](Members& all) { all["manifest.json"] = Replaced(all["manifest.json"], what, by); });
  };
  ExpectRefusedBundle(With([](Members& all) { all["manifest.json"] = "[]"; }),
                      "manifest.json: not a JSON object");
  ExpectRefusedBundle(of("rdmaready.v1.Bundle", "rdmaready.v1.Check"), "manifest.json: not that of a bundle");
  ExpectRefusedBundle(of("\"format\": 1", "\"format\": 3"), "of format 3, and this program knows 2");
  ExpectRefusedBundle(of("\"format\": 1", "\"format\": \"1\""), "it has no format");
  ExpectRefusedBundle(of("\"pseudonyms\": false", "\"pseudonyms\": 0"), "pseudonyms");
  ExpectRefusedBundle(of("\"created_unix_ns\"", "\"made_unix_ns\""), "created_unix_ns");
  ExpectRefusedBundle(of("\"folder\": \"b\"", "\"folder\": \"a\""), "or that of two");
  ExpectRefusedBundle(of("\"folder\": \"b\"", "\"folder\": \"../b\""), "is no folder of a host");
  ExpectRefusedBundle(of("\"folder\": \"b\"", "\"folder\": \"c\""),
                      "hosts/b/events.json: no member of a bundle");
  ExpectRefusedBundle(of("hosts/a/report.json", "hosts/a/history.json"), "the manifest names it twice");
}

TEST(Bundle, RefusesMembersOfNoHost) {
  Manifest manifest = *ReadManifest(ReadTar(Tar(Two()))->at("manifest.json"));
  for (const char* path :
       {"readme", "hosts/a/recording", "hosts/a/other.json", "hosts/c/report.json", "hosts/a"}) {
    std::vector<ListedMember> listed = manifest.members;
    listed.push_back({path, 1, *Sha256("x")});
    const std::string tar = With([&](Members& all) {
      all[path] = "x";
      all["manifest.json"] = ManifestText(Two(), listed);
    });
    ExpectRefusedBundle(tar, std::string(path) + ": no member of a bundle");
  }
}

}  // namespace
}  // namespace rdmaready::bundle
