// SPDX-License-Identifier: Apache-2.0
// YamlTree: the one document of a YAML text as a bounded tree that knows its lines.
//
// YAML is read from files that outsiders wrote. Refused are: more than YamlLimits allow, more than
// kMaxYamlDepth levels, text that is not UTF-8 or holds control characters, anchors and aliases (an alias bomb
// grows without bound), tags, a second document, a key that is not plain text, and a key that is there twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

inline constexpr std::size_t kMaxYamlBytes = 256UL * 1024;
inline constexpr int kMaxYamlDepth = 8;

// What is wrong with a text, and where.
struct YamlFault {
  std::string file{};
  int line = 0;         // from 1
  std::string key{};    // "ets.rdma_percent"; empty: the text itself
  std::string meant{};  // the known key that an unknown one is taken for
  std::string text{};
  bool is_contradiction = false;  // each value by itself may be right

  // "file.yaml:7: text".
  std::string Line() const;
};

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  int source = 0;       // which of several texts it is from; the parser says 0
  int line = 0;         // from 1
  bool quoted = false;  // a quoted scalar is text, never a number
  std::string text{};   // of a scalar
  std::vector<YamlNode> items{};
  std::vector<Entry> entries;  // without braces: Entry is not complete here
};

struct YamlNode::Entry {
  std::string key{};
  int source = 0;
  int line = 0;
  YamlNode value{};
};

// How much one text may be.
struct YamlLimits {
  std::string_view what = "profile";  // what a file of this kind is called
  std::size_t bytes = kMaxYamlBytes;
  std::size_t keys = 256;  // of one mapping
};

// An empty document is a kNull. What is wrong is added to `faults`; without a value nothing could be read. A
// key that is there twice is a fault and keeps its first value: what follows is still looked at.
std::optional<YamlNode> ParseYaml(std::string_view text, std::string_view file_name,
                                  std::vector<YamlFault>& faults, const YamlLimits& limits = {});

}  // namespace rdmaready
