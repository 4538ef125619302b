// SPDX-License-Identifier: Apache-2.0
#include "api/convert/layout.h"

#include <google/protobuf/descriptor.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace rdmaready::convert {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Form = TypeInfo::Form;

const FieldDescriptor* FieldNamed(const Descriptor& message, std::string_view name) {
  return message.FindFieldByName(std::string(name));
}

class LayoutBook {
 public:
  const Layout& Of(const TypeInfo& type, const Descriptor& message) {
    const std::lock_guard lock(mutex_);
    return Made(type, message);
  }

 private:
  // A struct may come to hold others of its own kind: the layout is there before it is filled.
  const Layout& Made(const TypeInfo& type, const Descriptor& message) {
    std::unique_ptr<Layout>& place = layouts_[{&type, &message}];
    if (place != nullptr) return *place;
    Layout& layout = *(place = std::make_unique<Layout>());
    const FieldDescriptor* gaps = FieldNamed(message, "missing");
    if (gaps != nullptr && gaps->is_map()) layout.gaps = gaps;
    for (const FieldInfo& field : type.fields()) {
      const FieldDescriptor* at = FieldNamed(message, field.name);
      layout.slots.push_back(
          {.field = &field, .at = at, .part = PartAt(*field.type, at, layout.gaps == nullptr)});
    }
    return layout;
  }

  const Layout* PartAt(const TypeInfo& declared, const FieldDescriptor* at, bool of_record) {
    const TypeInfo* type = &declared;
    // A Fact of a record has a message of its own.
    if (of_record && type->form == Form::kFact && at != nullptr && at->message_type() != nullptr)
      at = FieldNamed(*at->message_type(), "value");
    while (type->element != nullptr) {
      const bool many = type->form == Form::kList || type->form == Form::kArray;
      const bool wrapped = many && at != nullptr && !at->is_repeated() && at->message_type() != nullptr;
      if (wrapped) at = at->message_type()->field(0);
      type = type->element;
    }
    const bool there = type->form == Form::kStruct && at != nullptr && at->message_type() != nullptr;
    return there ? &Made(*type, *at->message_type()) : nullptr;
  }

  std::mutex mutex_;
  std::map<std::pair<const TypeInfo*, const Descriptor*>, std::unique_ptr<Layout>> layouts_{};
};

}  // namespace

const Layout& LayoutOf(const TypeInfo& type, const google::protobuf::Descriptor& message) {
  static LayoutBook book;
  return book.Of(type, message);
}

}  // namespace rdmaready::convert
