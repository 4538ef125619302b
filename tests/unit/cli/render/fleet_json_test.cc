// SPDX-License-Identifier: Apache-2.0
#include "cli/render/fleet_json.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/convert/fleet.h"
#include "rdmaready/v1/enrolment.pb.h"
#include "tests/unit/api/convert/filled.h"

namespace rdmaready {
namespace {

using FleetTree = nlohmann::ordered_json;
using Keys = std::vector<std::string>;

template <class Message>
Message FilledMessage() {
  Message message;
  Filled::Fill(message);
  return message;
}

template <class Message>
Keys FieldsOfMessage(Keys keys = {}) {
  for (int i = 0; i < Message::descriptor()->field_count(); ++i)
    keys.push_back(Message::descriptor()->field(i)->name());
  return keys;
}

Keys KeysIn(const FleetTree& json) {
  Keys keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

template <class Message>
auto Read() {
  return FromProto(FilledMessage<Message>());
}

TEST(FleetJson, HasTheFieldsOfAStatusInTheirOrder) {
  const FleetTree json = FleetTree::parse(FleetStatusJson(Read<v1::FleetStatus>()));
  EXPECT_EQ(KeysIn(json), FieldsOfMessage<v1::FleetStatus>({"schema"}));
  EXPECT_EQ(KeysIn(json["counts"]), FieldsOfMessage<v1::ConditionCounts>());
  EXPECT_EQ(KeysIn(json["groups"][0]), FieldsOfMessage<v1::GroupStatus>());
  EXPECT_EQ(KeysIn(json["findings"][0]), FieldsOfMessage<v1::CommonFinding>());
  EXPECT_EQ(KeysIn(json["odd"][0]), FieldsOfMessage<v1::FleetHost>());
  EXPECT_EQ(KeysIn(json["odd_ones"][0]), FieldsOfMessage<v1::OddOnes>());
}

TEST(FleetJson, HasTheFieldsOfEachRowInTheirOrder) {
  const auto row = [](const std::string& text, const char* rows) { return FleetTree::parse(text)[rows][0]; };
  EXPECT_EQ(KeysIn(row(FleetHostsJson({Read<v1::FleetHost>()}), "hosts")), FieldsOfMessage<v1::FleetHost>());
  EXPECT_EQ(KeysIn(row(FleetFindingsJson({Read<v1::FleetFinding>()}), "findings")),
            FieldsOfMessage<v1::FleetFinding>());
  EXPECT_EQ(KeysIn(row(FleetHistoryJson({Read<v1::FleetChange>()}), "changes")),
            FieldsOfMessage<v1::FleetChange>());
  EXPECT_EQ(KeysIn(row(FleetDiffJson({Read<v1::FleetDifference>()}, 1, 2), "differences")),
            FieldsOfMessage<v1::FleetDifference>());
  const FleetTree usual = row(FleetBaselineJson({Read<v1::UsualValue>()}, true), "usual");
  EXPECT_EQ(KeysIn(usual), FieldsOfMessage<v1::UsualValue>());
  EXPECT_EQ(KeysIn(usual["others"][0]), FieldsOfMessage<v1::ValueShare>());
  const FleetTree test = row(FleetPastJson({Read<v1::FleetPastTest>()}, 1), "tests");
  EXPECT_EQ(KeysIn(test), FieldsOfMessage<v1::FleetPastTest>());
  EXPECT_EQ(KeysIn(test["test"]), FieldsOfMessage<v1::CaseBaseline>());
  EXPECT_EQ(KeysIn(row(FleetAuditJson({Read<v1::FleetAuditEntry>()}, ""), "entries")),
            FieldsOfMessage<v1::FleetAuditEntry>());
  EXPECT_EQ(KeysIn(row(FleetTokensJson({FilledMessage<v1::TokenRow>()}), "tokens")),
            FieldsOfMessage<v1::TokenRow>());
  const std::string made = FleetTokensMadeJson(FilledMessage<v1::MakeTokensResponse>());
  EXPECT_EQ(KeysIn(FleetTree::parse(made)), FieldsOfMessage<v1::MakeTokensResponse>({"schema"}));
  EXPECT_EQ(KeysIn(row(made, "tokens")), FieldsOfMessage<v1::MadeToken>());
  EXPECT_EQ(KeysIn(FleetTree::parse(FleetRevokedJson(FilledMessage<v1::RevokeHostResponse>()))),
            FieldsOfMessage<v1::RevokeHostResponse>({"schema"}));
}

TEST(FleetJson, PutsWhatIsAboutAllRowsBehindThem) {
  EXPECT_EQ(KeysIn(FleetTree::parse(FleetDiffJson({}, 1, 2))),
            (Keys{"schema", "differences", "at_unix_ns", "kept_since_unix_ns"}));
  EXPECT_EQ(KeysIn(FleetTree::parse(FleetBaselineJson({}, true))), (Keys{"schema", "usual", "complete"}));
  EXPECT_EQ(KeysIn(FleetTree::parse(FleetPastJson({}, 7))), (Keys{"schema", "tests", "of"}));
  EXPECT_EQ(KeysIn(FleetTree::parse(FleetAuditJson({}, "x"))), (Keys{"schema", "entries", "broken"}));
}

TEST(FleetJson, WritesAChangeOnOneLine) {
  const FleetChange change{.host_id = "1", .host = "a\n", .number = 3, .after = Outcome::kNotApplicable};
  EXPECT_EQ(
      FleetChangeJson(change),
      R"({"schema":"rdmaready.v1.FleetChange","host_id":"1","host":"a\n","number":3,"unix_ns":0,"check":"",)"
      R"("subject":"","profile":"","before":"unknown","after":"not-applicable","observed":"","times":1,)"
      "\"last_unix_ns\":0}\n");
}

TEST(FleetJson, WritesAConditionAsAWord) {
  const auto word = [](HostCondition condition) {
    return FleetTree::parse(FleetHostsJson({{.condition = condition}}))["hosts"][0]["condition"];
  };
  EXPECT_EQ(word(HostCondition::kNeverReported), "never-reported");
  EXPECT_EQ(word(HostCondition::kRevoked), "revoked");
  EXPECT_EQ(word(static_cast<HostCondition>(6)), "unknown");
}

TEST(FleetJson, HasTheCountsOfAnAct) {
  EXPECT_EQ(FleetAcknowledgedJson(2, 3),
            "{\n  \"schema\": \"rdmaready.v1.FleetAcknowledged\",\n  \"marked\": 2,\n  \"forgotten\": 3\n}\n");
  EXPECT_EQ(
      FleetMaintenanceJson(2, -3),
      "{\n  \"schema\": \"rdmaready.v1.FleetMaintenance\",\n  \"hosts\": 2,\n  \"until_unix_ns\": -3\n}\n");
  EXPECT_EQ(FleetTokensWithdrawnJson(1),
            "{\n  \"schema\": \"rdmaready.v1.FleetTokensWithdrawn\",\n  \"withdrawn\": 1\n}\n");
}

}  // namespace
}  // namespace rdmaready
