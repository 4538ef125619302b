// SPDX-License-Identifier: Apache-2.0
// The lists of fields against the messages: neither has what the other lacks, and what a message leaves out
// reads as not collected, field by field.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/convert/facts.h"
#include "tests/unit/api/convert/full_facts.h"

namespace rdmaready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Form = TypeInfo::Form;

bool MayLack(const TypeInfo& type) { return type.form == Form::kFact || type.form == Form::kOptional; }

// ---- lists of fields and messages ----

class Agreement {
 public:
  void Struct(const TypeInfo& type, const Descriptor& message) {
    if (!seen_.insert(message.full_name()).second) return;
    std::set<std::string> listed;
    bool lacks = false;
    for (const FieldInfo& field : type.fields()) {
      const std::string name(field.name);
      listed.insert(name);
      lacks = lacks || MayLack(*field.type);
      const FieldDescriptor* slot = message.FindFieldByName(name);
      ASSERT_NE(slot, nullptr) << message.full_name() << " has no " << name;
      Field(*field.type, *slot);
    }
    for (int i = 0; i < message.field_count(); ++i) {
      const std::string& name = message.field(i)->name();
      EXPECT_EQ(listed.contains(name), name != "missing") << message.full_name() << "." << name;
    }
    const FieldDescriptor* gaps = message.FindFieldByName("missing");
    EXPECT_EQ(gaps != nullptr, lacks) << message.full_name();
    if (gaps != nullptr) {
      ASSERT_TRUE(gaps->is_map());
      EXPECT_EQ(gaps->message_type()->map_value()->message_type()->full_name(), "rdmaready.v1.Missing");
    }
  }

  const std::set<std::string>& seen() const { return seen_; }
  const std::set<const EnumDescriptor*>& enums() const { return enums_; }

 private:
  void Field(const TypeInfo& declared, const FieldDescriptor& slot) {
    const TypeInfo& type = MayLack(declared) ? *declared.element : declared;
    if (type.form == Form::kList || type.form == Form::kArray) return Elements(type, slot, !MayLack(declared));
    EXPECT_TRUE(slot.has_presence()) << slot.full_name() << " cannot say that it is absent";
    Value(type, slot);
  }

  // A list whose length may be 0 stands in a message of its own, which can be absent.
  void Elements(const TypeInfo& type, const FieldDescriptor& slot, bool plain) {
    if (slot.type() == FieldDescriptor::TYPE_BYTES) {
      EXPECT_TRUE(slot.has_presence() && type.form == Form::kArray) << slot.full_name();
      return;
    }
    if (slot.is_repeated()) {
      EXPECT_TRUE(plain && type.form == Form::kArray) << slot.full_name() << " cannot say that it is absent";
      return Value(*type.element, slot);
    }
    const Descriptor* list = slot.message_type();
    ASSERT_NE(list, nullptr) << slot.full_name();
    seen_.insert(list->full_name());
    ASSERT_TRUE(list->field_count() == 1 && list->field(0)->is_repeated()) << list->full_name();
    Value(*type.element, *list->field(0));
  }

  void Value(const TypeInfo& type, const FieldDescriptor& slot) {
    const auto kind = slot.cpp_type();
    if (slot.enum_type() != nullptr) enums_.insert(slot.enum_type());
    const bool number = kind == FieldDescriptor::CPPTYPE_UINT32 || kind == FieldDescriptor::CPPTYPE_UINT64;
    const bool signed_number = kind == FieldDescriptor::CPPTYPE_INT32 || kind == FieldDescriptor::CPPTYPE_INT64;
    switch (type.form) {
      case Form::kBool:
        EXPECT_EQ(kind, FieldDescriptor::CPPTYPE_BOOL) << slot.full_name();
        return;
      case Form::kNumber:
        EXPECT_TRUE(type.is_signed ? signed_number : number) << slot.full_name();
        return;
      case Form::kEnum:  // one of the kernel's own numbers stays a number
        EXPECT_TRUE(kind == FieldDescriptor::CPPTYPE_ENUM || number) << slot.full_name();
        return;
      case Form::kText:
        EXPECT_EQ(slot.type(), FieldDescriptor::TYPE_STRING) << slot.full_name();
        return;
      case Form::kStruct:
        ASSERT_NE(slot.message_type(), nullptr) << slot.full_name();
        return Struct(type, *slot.message_type());
      case Form::kUnknown:
      case Form::kArray:
      case Form::kList:
      case Form::kOptional:
      case Form::kFact:
        ADD_FAILURE() << slot.full_name() << ": the wire has no form for it";
    }
  }

  std::set<std::string> seen_{};
  std::set<const EnumDescriptor*> enums_{};
};

TEST(FactsFields, AreThoseOfTheMessages) {
  Agreement agreement;
  agreement.Struct(TypeOf<Facts>(), *v1::Facts::descriptor());
  const google::protobuf::FileDescriptor& file = *v1::Facts::descriptor()->file();
  for (int i = 0; i < file.message_type_count(); ++i) {
    const std::string& name = file.message_type(i)->full_name();
    EXPECT_EQ(agreement.seen().contains(name), name != "rdmaready.v1.Missing") << name << " is not used";
  }
}

TEST(FactsFields, HaveAnUnknownInEachEnumeration) {
  Agreement agreement;
  agreement.Struct(TypeOf<Facts>(), *v1::Facts::descriptor());
  ASSERT_FALSE(agreement.enums().empty());
  for (const EnumDescriptor* kinds : agreement.enums()) {
    int unknown = 0;
    for (int i = 0; i < kinds->value_count(); ++i) unknown += kinds->value(i)->name().ends_with("_UNKNOWN");
    EXPECT_EQ(unknown, 1) << kinds->full_name();
  }
}

// ---- what is absent ----

// Makes the fact at `path` of a struct (indexes of fields, and of elements in lists) not collected.
struct Step {
  std::size_t field = 0;
  std::size_t element = 0;  // of a list
};

void Lose(const TypeInfo& type, void* object, const std::vector<Step>& path, std::size_t at,
          const Missing& why) {
  const FieldInfo& field = type.fields()[path[at].field];
  const TypeInfo* inner = field.type;
  void* member = MemberOf(object, field);
  if (at + 1 == path.size()) return inner->set_gap(member, why);
  while (inner->form != Form::kStruct) {
    member = inner->at(member, inner->form == Form::kList ? path[at].element : 0);
    inner = inner->element;
  }
  Lose(*inner, member, path, at + 1, why);
}

const Missing* GapAt(const TypeInfo& type, const void* object, const std::vector<Step>& path, std::size_t at) {
  const FieldInfo& field = type.fields()[path[at].field];
  const TypeInfo* inner = field.type;
  const void* member = MemberOf(object, field);
  if (at + 1 == path.size()) return inner->size(member) == 0 ? &inner->gap(member) : nullptr;
  while (inner->form != Form::kStruct) {
    if (inner->size(member) == 0) return nullptr;
    member = inner->At(member, inner->form == Form::kList ? path[at].element : 0);
    inner = inner->element;
  }
  return GapAt(*inner, member, path, at + 1);
}

class Dropping {
 public:
  explicit Dropping(const Facts& whole) : whole_(whole), message_(ToProto(whole)) {}

  // Drops each field of each message in turn, and each gap; returns how many that were.
  int All() {
    Struct(TypeOf<Facts>(), message_, {}, {});
    return dropped_;
  }

 private:
  // `path` leads to the struct; `fact` to the innermost fact around it, empty: there is none.
  void Struct(const TypeInfo& type, Message& message, const std::vector<Step>& path,
              const std::vector<Step>& fact) {
    for (std::size_t i = 0; i < type.fields().size(); ++i) {
      const FieldInfo& field = type.fields()[i];
      std::vector<Step> here = path;
      here.push_back({.field = i});
      const std::vector<Step>& lost = field.type->form == Form::kFact ? here : fact;
      const FieldDescriptor& slot = *message.GetDescriptor()->FindFieldByName(std::string(field.name));
      if (field.type->form != Form::kStruct) Drop(message, slot, lost);
      Inside(field.type->form == Form::kFact || field.type->form == Form::kOptional ? *field.type->element
                                                                                    : *field.type,
             message, slot, here, lost);
    }
  }

  void Inside(const TypeInfo& type, Message& message, const FieldDescriptor& slot,
              const std::vector<Step>& here, const std::vector<Step>& fact) {
    if (slot.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return;
    const Reflection& reflection = *message.GetReflection();
    if (!reflection.HasField(message, &slot)) return;
    Message& part = *reflection.MutableMessage(&message, &slot);
    if (type.form == Form::kStruct) return Struct(type, part, here, fact);
    const FieldDescriptor& list = *part.GetDescriptor()->field(0);
    if (type.form == Form::kArray) return Drop(part, list, fact);
    if (type.element->form != Form::kStruct) return;
    for (int i = 0; i < part.GetReflection()->FieldSize(part, &list); ++i) {
      std::vector<Step> element = here;
      element.back().element = static_cast<std::size_t>(i);
      Struct(*type.element, *part.GetReflection()->MutableRepeatedMessage(&part, &list, i), element, fact);
    }
  }

  void Drop(Message& message, const FieldDescriptor& slot, const std::vector<Step>& fact) {
    const std::unique_ptr<Message> kept(message.New());
    kept->CopyFrom(message);
    message.GetReflection()->ClearField(&message, &slot);
    if (const FieldDescriptor* gaps = message.GetDescriptor()->FindFieldByName("missing")) {
      DropGap(message, *gaps, slot.name());
    }
    Judge(slot.full_name(), fact);
    message.CopyFrom(*kept);
    ++dropped_;
  }

  static void DropGap(Message& message, const FieldDescriptor& gaps, const std::string& name) {
    const Reflection& reflection = *message.GetReflection();
    for (int i = reflection.FieldSize(message, &gaps) - 1; i >= 0; --i) {
      const Message& entry = reflection.GetRepeatedMessage(message, &gaps, i);
      if (entry.GetReflection()->GetString(entry, entry.GetDescriptor()->map_key()) != name) continue;
      reflection.SwapElements(&message, &gaps, i, reflection.FieldSize(message, &gaps) - 1);
      reflection.RemoveLast(&message, &gaps);
    }
  }

  void Judge(const std::string& what, const std::vector<Step>& fact) {
    const Facts read = FromProto(message_);
    Facts expected = whole_;
    if (fact.empty()) {
      expected = Facts();
    } else {
      const Missing* gap = GapAt(TypeOf<Facts>(), &read, fact, 0);
      ASSERT_NE(gap, nullptr) << what << " is absent, and the fact that it stands in looks known";
      EXPECT_EQ(gap->kind, Missing::Kind::kNotCollected) << what;
      Lose(TypeOf<Facts>(), &expected, fact, 0, *gap);
    }
    EXPECT_TRUE(read == expected) << what << " is absent, and something else is lost, too";
  }

  const Facts& whole_;
  v1::Facts message_;
  int dropped_ = 0;
};

TEST(FactsFields, ThatAreAbsentAreNotCollected) {
  const Facts full = FullFacts::Make();
  const Facts gaps = FullFacts::MakeWithGaps();
  const int of_full = Dropping(full).All();
  const int of_gaps = Dropping(gaps).All();
  RecordProperty("fields_left_out", of_full + of_gaps);
  EXPECT_GT(of_full, 800);
  EXPECT_GT(of_gaps, 500);
}

}  // namespace
}  // namespace rdmaready
