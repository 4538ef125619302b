// SPDX-License-Identifier: Apache-2.0
// Chain: a profile's text, the one that it extends, the one that this extends, and so on, as one tree.
//
//   extends: nvidia-lossless   # a built-in profile, or the path of a file, seen from the folder of this one
//   without: [tos, cnp.priority]   # what the extended profile asks for and this one does not
//
// When both say a key: of a single value the extending profile's holds; a list is replaced as a whole; mappings
// are merged key by key. `name` and `summary` are never inherited. `without` goes first: a key that is taken
// away and said again starts afresh. Inherited `ets.classes` follow another `rdma_priority`: the new priority
// and the old one change places in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {

inline constexpr std::string_view kExtendsKey = "extends";
inline constexpr std::string_view kWithoutKey = "without";
inline constexpr std::size_t kMaxChain = 8;  // profiles in one chain

struct ProfileChain {
  std::vector<std::string> files{};  // their names as errors say them: the extending one first
  std::vector<std::string> texts{};
  YamlNode root{};        // merged; every node's `source` is an index into `files`
  bool readable = false;  // every profile of the chain was found and is YAML; else `root` may lack parts
};

// What may be extended.
enum class Extendable {
  kBuiltIns,          // a text that is no file: nothing on disk is looked at
  kBuiltInsAndFiles,  // blocks on file access
};

// Faults (an unknown profile, a circle, a chain that is too long) are added to `faults`, in their file
// and line.
ProfileChain ReadChain(std::string_view yaml, std::string_view file_name, Extendable extendable,
                       std::vector<YamlFault>& faults);

// The text of a regular file, of which no more is read than the parser takes. kNotFound, kInvalidArgument (no
// regular file) or kPermissionDenied, with the path.
absl::StatusOr<std::string> ReadProfileFile(const std::string& path);

}  // namespace rdmaready
