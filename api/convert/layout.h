// SPDX-License-Identifier: Apache-2.0
// Layout: which field of a message is which field of a struct. Both say it by names, which are looked up once
// in a process: neither becomes another while it runs.
#pragma once

#include <vector>

#include "api/model/fields.h"

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace rdmaready::convert {

struct Layout {
  struct Slot {
    const FieldInfo* field = nullptr;                       // of the struct
    const google::protobuf::FieldDescriptor* at = nullptr;  // of the message
    const Layout* part = nullptr;  // of the struct that the field is, or that its elements are; null: neither
  };
  std::vector<Slot> slots{};  // of every field of the struct, in its order
  const google::protobuf::FieldDescriptor* gaps =
      nullptr;  // the map of the gaps of a message of facts; null: a record
};

// `type` is that of a struct. Lives as long as the process. Any thread.
const Layout& LayoutOf(const TypeInfo& type, const google::protobuf::Descriptor& message);

}  // namespace rdmaready::convert
