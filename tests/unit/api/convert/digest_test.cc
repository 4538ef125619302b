// SPDX-License-Identifier: Apache-2.0
#include "api/convert/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/unit/api/convert/full_facts.h"

namespace rdmaready {
namespace {

using Form = TypeInfo::Form;

// Goes to every value of full facts, makes it another, and holds that the digest tells it exactly when no list
// of fields says that it moves by itself.
class EachValue {
 public:
  EachValue() : before_(DigestedText(facts_)) { Into(TypeOf<Facts>(), &facts_, "facts", true); }

  std::set<std::string> moving{};  // the first field on the way that is marked
  std::size_t in = 0;
  std::size_t out = 0;

 private:
  void Into(const TypeInfo& type, void* value, const std::string& path, bool counts) {
    switch (type.form) {
      case Form::kUnknown:
        ADD_FAILURE() << path;
        return;
      case Form::kBool:
      case Form::kNumber:
      case Form::kEnum: {
        const std::uint64_t number = type.load(value);
        ASSERT_TRUE(type.store(number == 0 ? 1 : 0, value)) << path;
        Expect(path, counts);
        ASSERT_TRUE(type.store(number, value)) << path;
        return;
      }
      case Form::kText:
        static_cast<std::string*>(value)->push_back('!');
        Expect(path, counts);
        static_cast<std::string*>(value)->pop_back();
        return;
      case Form::kStruct:
        for (const FieldInfo& field : type.fields()) {
          const std::string name = path + "." + std::string(field.name);
          const bool moves = field.kind == FieldKind::kReading || field.kind == FieldKind::kPassing;
          if (counts && moves) moving.insert(std::string(field.name));
          Into(*field.type, MemberOf(value, field), name, counts && !moves);
        }
        return;
      case Form::kArray:
      case Form::kList:
      case Form::kOptional:
      case Form::kFact:
        ASSERT_GT(type.size(value), 0u) << path;
        Into(*type.element, type.at(value, 0), path, counts);
    }
  }

  void Expect(const std::string& path, bool counts) {
    ++(counts ? in : out);
    EXPECT_EQ(DigestedText(facts_) != before_, counts) << path;
  }

  Facts facts_ = FullFacts::Make();
  const std::string before_;
};

// What is added here must move by itself on a host on which nothing happens, or every check is stored whole.
TEST(Digest, HoldsEveryFactButThoseThatMoveByThemselves) {
  const EachValue each;
  EXPECT_THAT(
      each.moving,
      testing::UnorderedElementsAre(
          "acknowledged", "aer_correctable", "aer_fatal", "aer_nonfatal", "back_in_ms", "carrier_changes",
          "corrected_blocks", "dcb_writes", "earlier", "errors", "estimated_error_us", "fcs_errors", "first_ms",
          "frames", "free_bytes", "hw_counters", "ifindex", "interrupts", "last_ms", "listened_ms",
          "max_error_us", "neighbours", "notes", "open_files", "pause_frames", "pauses_received", "pauses_sent",
          "pid", "pma_counters", "port_counters", "recovered", "resources", "sequence", "statistics",
          "symbol_errors", "temperatures", "uncorrectable_blocks", "uptime_s"));
  EXPECT_GT(each.in, 400u);
  EXPECT_GT(each.out, 100u);
}

TEST(Digest, TellsAGapFromAValueAndOneReasonFromAnother) {
  Facts facts;
  std::set<std::string> texts;
  facts.numa_nodes = 0;
  texts.insert(DigestedText(facts));
  for (const char* words : {"", "no such file", "not permitted"}) {
    for (const auto kind : {Missing::Kind::kNotCollected, Missing::Kind::kDenied}) {
      facts.numa_nodes = Missing{kind, words};
      texts.insert(DigestedText(facts));
    }
  }
  EXPECT_EQ(texts.size(), 7u);
}

TEST(Digest, TellsWhereOneTextEndsAndTheNextBegins) {
  Facts one;
  one.hostname = "ab";
  one.machine_id = "c";
  Facts other;
  other.hostname = "a";
  other.machine_id = "bc";
  EXPECT_NE(DigestedText(one), DigestedText(other));
}

}  // namespace
}  // namespace rdmaready
