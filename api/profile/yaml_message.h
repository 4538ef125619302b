// SPDX-License-Identifier: Apache-2.0
// Fills a protobuf message from a YAML tree by reflection: the message is the schema, nothing is written
// down twice.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/profile/yaml_tree.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rdmaready {

// Where a field was set.
struct FieldPlace {
  int source = 0;  // an index into the names of the files
  int line = 0;
};

// "ets.rdma_percent" -> its place; "ets.classes[0].percent" in a list of mappings.
using FieldPlaces = std::map<std::string, FieldPlace, std::less<>>;

struct KeyRules {
  std::string_view not_a_key{};                // a top-level field that a file may not set
  std::span<const std::string_view> beside{};  // top-level keys that are no fields, and are not read here
  std::size_t most_items = 64;                 // of one list
};

// `message` is empty before. Field names are keys; see api/proto/rdmaready/v1/profile.proto for the forms.
// Every fault is added to `faults`, and its key is left out of the message: "file.yaml:7: unknown key
// `prioritie` (did you mean `priority`?)". `files` names the sources of the tree's nodes.
FieldPlaces FillMessage(const YamlNode& root, std::span<const std::string> files, const KeyRules& rules,
                        google::protobuf::Message& message, std::vector<YamlFault>& faults);

// The candidate that is at most two typing mistakes away (one, where either has up to four letters), or starts
// or ends with the word; empty for none.
std::string ClosestWord(std::string_view word, const std::vector<std::string>& candidates);

// "TRANSPORT_ROCE_V2" of enum Transport -> "roce-v2".
std::string EnumWord(std::string_view enum_name, std::string_view value_name);

}  // namespace rdmaready
