// SPDX-License-Identifier: Apache-2.0
// YamlTree: the one document of a YAML text as a bounded tree that knows its lines.
//
// YAML is read from files that strangers wrote. Refused are: more than kMaxYamlBytes, more than kMaxYamlDepth
// levels, text that is not UTF-8 or holds control characters, anchors and aliases (an alias bomb grows without
// bound), tags, a second document, a key that is not plain text, and a key that is there twice.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

inline constexpr std::size_t kMaxYamlBytes = 256UL * 1024;
inline constexpr int kMaxYamlDepth = 8;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  int line = 0;         // from 1
  bool quoted = false;  // a quoted scalar is text, never a number
  std::string text{};   // of a scalar
  std::vector<YamlNode> items{};
  std::vector<Entry> entries{};
};

struct YamlNode::Entry {
  std::string key{};
  int line = 0;
  YamlNode value{};
};

// An empty document is a kNull. Errors are kInvalidArgument, "file.yaml:7: what is wrong".
absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view file_name);

// kInvalidArgument, "file.yaml:7: text".
absl::Status YamlError(std::string_view file_name, int line, std::string_view text);

}  // namespace rdmaready
