// SPDX-License-Identifier: Apache-2.0
// Fills a protobuf message from a YAML tree by reflection: the message is the schema, nothing is written down
// twice.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/profile/yaml_tree.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rdmaready {

// Which line set a field: "ets.rdma_percent" -> 12. For messages about values that are wrong only together.
using FieldLines = std::map<std::string, int, std::less<>>;

// `message` is empty before. Field names are keys; see api/proto/rdmaready/v1/profile.proto for the forms.
// `not_a_key` is a top-level field that a file may not set. Errors are kInvalidArgument, "file.yaml:7: unknown
// key `prioritie` (did you mean `priority`?)".
absl::StatusOr<FieldLines> FillMessage(const YamlNode& root, std::string_view file_name,
                                       std::string_view not_a_key, google::protobuf::Message& message);

// The candidate that is at most two typing mistakes away, or starts or ends with the word; empty for none.
std::string ClosestWord(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace rdmaready
