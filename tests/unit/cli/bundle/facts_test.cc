// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/facts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/convert/facts.h"
#include "api/profile/load.h"
#include "checks/fleet/agreement.h"
#include "checks/judge.h"
#include "cli/bundle/fact_rows.h"
#include "collectors/collect.h"
#include "collectors/lldp/lldp.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/support/source_tree.h"

namespace rdmaready::bundle {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

const Pseudonyms kKey(std::string(32, 'k'));

constexpr const char* kFixtures[] = {"two-rails-healthy/saved/storage1",
                                     "two-rails-sick/saved/storage2",
                                     "cable-pulled/saved/storage1",
                                     "stack/saved/storage4",
                                     "iwarp/saved/storage3",
                                     "infiniband/saved/storage1",
                                     "infiniband/saved/storage2",
                                     "filtered/saved/storage1",
                                     "no-rdma/saved/plain1"};

Facts FactsOfFixture(const std::string& place) {
  auto saved = LoadRecordings(test::SourceTree() + "/tests/fixtures/hosts/" + place);
  EXPECT_TRUE(saved.ok()) << saved.status();
  Recording recording = *std::move(saved->front().recording);
  const bool lldp = recording.answers.Asked<LldpQuestion>();
  RecordedHost reader(std::move(recording));
  Facts facts = CollectFacts(reader);
  if (lldp) ReadLldp(reader, {}, facts);
  return facts;
}

Facts UnderPseudonyms(const Facts& facts, std::string* json = nullptr) {
  v1::Facts message = ToProto(facts);
  PutUnderPseudonyms(kKey, message);
  const absl::StatusOr<std::string> text = WriteFacts(message);
  EXPECT_TRUE(text.ok()) << text.status();
  if (json != nullptr) *json = *text;
  const absl::StatusOr<Facts> read = ReadFacts(*text);
  EXPECT_TRUE(read.ok()) << read.status();
  return *read;
}

std::vector<std::string> LinesOf(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& one : findings) {
    lines.push_back(one.id + " " + one.subject + " " + std::to_string(static_cast<int>(one.outcome)) +
                    (one.blocking ? " blocks" : "") +
                    (one.hidden_by.empty() ? "" : " hidden by " + one.hidden_by));
  }
  return lines;
}

// "Message.field" of every text below `message`, a list of names by the field that holds it.
void CollectTexts(const Descriptor& message, std::set<std::string>& seen, std::set<std::string>& texts) {
  if (!seen.insert(message.full_name()).second) return;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING && message.map_key() == nullptr) {
      texts.insert(message.name() + "." + field.name());
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
               field.message_type()->name() == "Names") {
      texts.insert(message.name() + "." + field.name());
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      CollectTexts(*field.message_type(), seen, texts);
    }
  }
}

// Every text that is a name or an address, as it is in the message.
void CollectSecretTexts(const google::protobuf::Message& message, std::set<std::string>& found) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const Treatment treatment = TreatmentOf(message.GetDescriptor()->name() + "." + field->name());
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!field->is_repeated()) {
        CollectSecretTexts(reflection.GetMessage(message, field), found);
        continue;
      }
      for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        CollectSecretTexts(reflection.GetRepeatedMessage(message, field, i), found);
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && !field->is_repeated()) {
      const bool secret = treatment == Treatment::kHost || treatment == Treatment::kMachineId ||
                          treatment == Treatment::kAddress || treatment == Treatment::kMac ||
                          treatment == Treatment::kAny || treatment == Treatment::kName;
      if (secret) found.insert(reflection.GetString(message, field));
    }
  }
}

TEST(BundledFacts, GiveBackWhatWasWritten) {
  for (const char* place : kFixtures) {
    const Facts facts = FactsOfFixture(place);
    const absl::StatusOr<std::string> text = WriteFacts(ToProto(facts));
    ASSERT_TRUE(text.ok());
    const absl::StatusOr<Facts> read = ReadFacts(*text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(ToProto(*read), ToProto(facts))) << place;
    EXPECT_EQ(*WriteFacts(ToProto(*read)), *text) << place;
  }
}

TEST(BundledFacts, HaveARowForEveryText) {
  std::set<std::string> seen;
  std::set<std::string> texts;
  CollectTexts(*v1::Facts::descriptor(), seen, texts);
  EXPECT_GT(texts.size(), 80U);
  for (const std::string& text : texts) EXPECT_NE(TreatmentOf(text), Treatment::kUnknown) << text;
  EXPECT_EQ(TreatmentOf("Port.node_guid"), Treatment::kGuid);
  EXPECT_EQ(TreatmentOf("Port.none"), Treatment::kUnknown);
}

TEST(BundledFacts, NameTheInterfaceOfASysctlAsElsewhere) {
  Facts facts;
  facts.default_routes = std::vector<std::string>{"storage.711"};
  facts.sysctls =
      std::vector<Sysctl>{{"net.ipv4.conf.all.rp_filter", 1}, {"net.ipv4.conf.storage/711.rp_filter", 2}};
  const Facts other = UnderPseudonyms(facts);
  ASSERT_EQ(other.sysctls->size(), 2U);
  EXPECT_EQ((*other.sysctls)[0].name, "net.ipv4.conf.all.rp_filter");
  std::string netdev = other.default_routes->front();
  EXPECT_NE(netdev, "storage.711");
  std::ranges::replace(netdev, '.', '/');
  EXPECT_EQ((*other.sysctls)[1].name, "net.ipv4.conf." + netdev + ".rp_filter");
}

TEST(BundledFacts, UnderPseudonymsAreJudgedTheSame) {
  for (const std::string& name : BuiltInProfileNames()) {
    const Profile profile = *LoadProfile(name);
    for (const char* place : kFixtures) {
      const Facts facts = FactsOfFixture(place);
      EXPECT_EQ(LinesOf(JudgeHost(UnderPseudonyms(facts), profile)), LinesOf(JudgeHost(facts, profile)))
          << place << " " << name;
    }
  }
}

TEST(BundledFacts, UnderPseudonymsAgreeWithOthersAsBefore) {
  const Profile profile = *LoadProfile("smb-direct-roce");
  const Facts one = FactsOfFixture(kFixtures[0]);
  const Facts two = FactsOfFixture(kFixtures[1]);
  const std::vector<Finding> of_one = JudgeHost(one, profile);
  const std::vector<Finding> of_two = JudgeHost(two, profile);
  const Facts other_one = UnderPseudonyms(one);
  const Facts other_two = UnderPseudonyms(two);
  const ComparedHost before[] = {{"a", &one, of_one}, {"b", &two, of_two}};
  const ComparedHost after[] = {{"a", &other_one, of_one}, {"b", &other_two, of_two}};
  const auto was = JudgeAgreement(before, profile);
  const auto is = JudgeAgreement(after, profile);
  ASSERT_EQ(is.of_hosts.size(), was.of_hosts.size());
  ASSERT_EQ(is.between.size(), was.between.size());
  std::size_t findings = 0;
  for (std::size_t i = 0; i < is.of_hosts.size(); ++i) {
    findings += was.of_hosts[i].size();
    EXPECT_EQ(LinesOf(is.of_hosts[i]), LinesOf(was.of_hosts[i]));
  }
  for (std::size_t i = 0; i < is.between.size(); ++i)
    EXPECT_EQ(is.between[i].finding.id, was.between[i].finding.id);
  EXPECT_GT(findings, 0U);
}

TEST(BundledFacts, UnderPseudonymsHoldNoNameAndNoAddress) {
  std::size_t checked = 0;
  for (const char* place : kFixtures) {
    const Facts facts = FactsOfFixture(place);
    std::string json;
    UnderPseudonyms(facts, &json);
    std::set<std::string> secrets;
    CollectSecretTexts(ToProto(facts), secrets);
    for (const std::string& secret : secrets) {
      if (secret.empty() || kKey.Any(secret) == secret) continue;  // loopback and the like
      ++checked;
      EXPECT_EQ(json.find("\"" + secret + "\""), std::string::npos) << place << ": " << secret;
    }
  }
  EXPECT_GT(checked, 50U);
}

TEST(BundledFacts, OfNoSenseAreRefused) {
  for (const char* text :
       {"", "[]", "{\"hostname\":{}}", "{\"none\":1}", "{\"ports\":{\"ports\":[{\"number\":\"x\"}]}}"}) {
    const absl::StatusOr<Facts> read = ReadFacts(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(read.status().message().find('\n'), std::string_view::npos);
  }
}

}  // namespace
}  // namespace rdmaready::bundle
