// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "api/daemon/event_ids.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

TEST(JournalFieldsTest, HaveCommonNamesWhereOthersSearchForThemToo) {
  const Event event{.level = EventLevel::kWarning,
                    .name = "finding",
                    .fields = {{"run_id", "20260101T000000Z-1"},
                               {"check_id", "pfc.lossless-priority"},
                               {"rdma_dev", "mlx5_0"},
                               {"ifname", "ens1f0"},
                               {"observed", "PFC on 4"},
                               {"duration_ms", std::int64_t{7}},
                               {"tls", true}}};
  EXPECT_THAT(JournalFields(event),
              ElementsAre(StartsWith("MESSAGE=finding run_id="), "PRIORITY=4",
                          "SYSLOG_IDENTIFIER=rdmaready-agent", "EVENT=finding",
                          "MESSAGE_ID=" + std::string(MessageIdOf("finding")), "RUN_ID=20260101T000000Z-1",
                          "CHECK_ID=pfc.lossless-priority", "RDMA_DEV=mlx5_0", "IFNAME=ens1f0",
                          "RDMAREADY_OBSERVED=PFC on 4", "RDMAREADY_DURATION_MS=7", "RDMAREADY_TLS=yes"));
}

TEST(JournalFieldsTest, NameTheDeviceOfAPort) {
  EXPECT_THAT(JournalFields({.name = "test", .fields = {{"port", "rxe0/1"}}}),
              testing::AllOf(Contains("RDMAREADY_PORT=rxe0/1"), Contains("RDMA_DEV=rxe0")));
}

// What a stranger says of himself must not pass for what the journal or we say.
TEST(JournalFieldsTest, AreNeverTheJournalsOwnAndAreBounded) {
  const Event event{.name = "grpc", .fields = {{"message", std::string(5000, 'x')}, {"priority", "0"}}};
  const std::vector<std::string> fields = JournalFields(event);
  EXPECT_THAT(fields, Contains("RDMAREADY_PRIORITY=0"));
  EXPECT_THAT(fields, Contains("PRIORITY=6"));
  EXPECT_THAT(fields, Not(Contains("PRIORITY=0")));
  for (const std::string& field : fields) EXPECT_LT(field.size(), 1100u);
}

TEST(EventIdsTest, AreUniqueWellFormedAndSorted) {
  std::set<std::string_view> ids;
  std::set<std::string_view> names;
  std::string_view last;
  for (const EventId& row : EventIds()) {
    EXPECT_TRUE(std::regex_match(std::string(row.id), std::regex("[0-9a-f]{32}"))) << row.name;
    EXPECT_TRUE(ids.insert(row.id).second) << row.name << ": its number is another's";
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_LT(last, row.name);
    last = row.name;
  }
}

using Constants = std::map<std::string, std::string>;

void AddConstants(const std::string& source, Constants& constants) {
  static const std::regex kConstant(R"re(constexpr std::string_view (k\w+) = "([a-z-]+)";)re");
  for (std::sregex_iterator one(source.begin(), source.end(), kConstant), end; one != end; ++one)
    constants[(*one)[1]] = (*one)[2];
}

// The names of events that a source tells of: words and constants before the fields of a Tell.
std::set<std::string> NamesIn(const std::string& source, const Constants& constants) {
  static const std::regex kTold(R"re(\bTell\(([^{;]*?)(?:\{|std::move))re");
  static const std::regex kWord(R"re("([a-z-]+)"|\b(k[A-Z]\w+))re");
  std::set<std::string> names;
  for (std::sregex_iterator told(source.begin(), source.end(), kTold), end; told != end; ++told) {
    const std::string part = (*told)[1];
    for (std::sregex_iterator word(part.begin(), part.end(), kWord); word != end; ++word) {
      if ((*word)[1].matched) names.insert((*word)[1]);
      const auto constant = constants.find((*word)[2]);
      if (constant != constants.end()) names.insert(constant->second);
    }
  }
  return names;
}

std::map<std::string, std::string> SourcesOfDaemons() {
  std::map<std::string, std::string> sources;
  for (const char* folder : {"/agent", "/api/base", "/api/daemon", "/api/metrics", "/hub"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::SourceTree() + folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      sources[entry.path()] = text.str();
    }
  }
  return sources;
}

TEST(EventIdsTest, AreThereForEveryEventInTheTreeAndForNoOther) {
  const std::map<std::string, std::string> sources = SourcesOfDaemons();
  Constants constants;
  for (const auto& [path, text] : sources) AddConstants(text, constants);
  std::set<std::string> told;
  for (const auto& [path, text] : sources) {
    if (path.ends_with(".cc")) told.merge(NamesIn(text, constants));
  }
  EXPECT_GE(told.size(), 20u) << "the sources are read";
  for (const std::string& name : told)
    EXPECT_NE(MessageIdOf(name), "") << name
                                     << ": give it a row in api/daemon/event_ids.cc (uuidgen | tr -d -)";
  for (const EventId& row : EventIds())
    EXPECT_TRUE(told.contains(std::string(row.name))) << row.name << ": nobody tells of it";
}

TEST(EventIdsTest, NoNameEscapesTheSearch) {
  EXPECT_THAT(NamesIn(R"(Tell(sink, EventLevel::kError, "one", {{"key", x}});)", {}), ElementsAre("one"));
  EXPECT_THAT(NamesIn("Tell(sink, how,\n  \"two\", std::move(fields));", {}), ElementsAre("two"));
  EXPECT_THAT(
      NamesIn(R"(Tell(events, ok ? EventLevel::kInfo : EventLevel::kError, ok ? "good" : "bad", {{"a", b}});)",
              {}),
      ElementsAre("bad", "good"));
  Constants constants;
  AddConstants(R"(inline constexpr std::string_view kThree = "three";)", constants);
  EXPECT_THAT(NamesIn("Tell(GrpcSink(), EventLevel::kWarning, kThree,\n {{}})", constants),
              ElementsAre("three"));
}

}  // namespace
}  // namespace rdmaready
