// SPDX-License-Identifier: Apache-2.0
// Facts in which every field says something, by their lists of fields: nothing can be forgotten.
#pragma once

#include <cstdint>
#include <string>

#include "api/model/facts.h"
#include "api/model/fields.h"

namespace rdmaready {

// Lists have one element, facts and optionals a value. No two fields that are wide enough hold the same.
class FullFacts {
 public:
  static Facts Make() {
    Facts facts;
    FullFacts().Fill(TypeOf<Facts>(), &facts);
    return facts;
  }

  // Numbers are the largest that their fields hold; signed ones are -1.
  static Facts MakeExtreme() {
    Facts facts;
    FullFacts extreme;
    extreme.extreme_ = true;
    extreme.Fill(TypeOf<Facts>(), &facts);
    return facts;
  }

  // Facts of a single number or text have no answer, each for a reason of its own; optionals have no value.
  static Facts MakeWithGaps() {
    Facts facts;
    FullFacts gaps;
    gaps.gaps_ = true;
    gaps.Fill(TypeOf<Facts>(), &facts);
    return facts;
  }

 private:
  using Form = TypeInfo::Form;

  void Fill(const TypeInfo& type, void* to) {
    switch (type.form) {
      case Form::kUnknown:
        return;
      case Form::kBool:
      case Form::kEnum:
        type.store(1, to);
        return;
      case Form::kNumber:
        return FillNumber(type, to);
      case Form::kText:
        *static_cast<std::string*>(to) = "text " + std::to_string(++count_);
        return;
      case Form::kStruct:
        for (const FieldInfo& field : type.fields()) Fill(*field.type, MemberOf(to, field));
        return;
      case Form::kFact:
        if (gaps_ && type.element->load != nullptr) return FillGap(type, to);
        return FillElements(type, to);
      case Form::kOptional:
        if (gaps_) return;
        return FillElements(type, to);
      case Form::kArray:
      case Form::kList:
        return FillElements(type, to);
    }
  }

  void FillElements(const TypeInfo& type, void* to) {
    type.resize(to, 1);
    for (std::size_t i = 0; i < type.size(to); ++i) Fill(*type.element, type.at(to, i));
  }

  void FillNumber(const TypeInfo& type, void* to) {
    std::uint64_t number = extreme_ ? ~std::uint64_t{0} : ++count_;
    while (!type.store(number, to)) number >>= 8;
  }

  void FillGap(const TypeInfo& type, void* to) {
    const auto kind = static_cast<Missing::Kind>(++count_ % 4);
    type.set_gap(to, {kind, "reason " + std::to_string(count_)});
  }

  bool extreme_ = false;
  bool gaps_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace rdmaready
