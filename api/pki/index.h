// SPDX-License-Identifier: Apache-2.0
// The index of a CA: what it issued and revoked, a line of JSON each, only ever added to.
//
//   {"event":"issued","serial":"4f1c...","kind":"host","name":"node1","identity":"6f96...","names":["DNS:node1"],
//    "root":"9a0b...","not_before_unix_ns":...,"not_after_unix_ns":...,"at_unix_ns":...}
//   {"event":"revoked","serial":"4f1c...","root":"9a0b...","not_after_unix_ns":...,"at_unix_ns":...}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/pki/identity.h"

namespace rdmaready::pki {

// A certificate, as far as the index knows it.
struct IndexEntry {
  std::string serial{};
  Kind kind = Kind::kUnknown;        // unknown: revoked, and of a time before the index
  std::string name{};                // what it was asked for: "node1"
  std::string identity{};            // a host's id; else the name
  std::vector<std::string> names{};  // "DNS:node1.example", "IP:10.0.0.7"
  std::string root{};                // serial of the CA's certificate that signed it
  std::int64_t not_before_unix_ns = 0;
  std::int64_t not_after_unix_ns = 0;
  std::int64_t issued_unix_ns = 0;
  std::optional<std::int64_t> revoked_unix_ns{};
};

// Lines, with their ends.
std::string IssuedLine(const IndexEntry& entry);
std::string RevokedLine(const IndexEntry& entry, std::int64_t now_unix_ns);

// In the order in which they were issued. kDataLoss: a line that is none of those, with its number; a last line
// without its end is what a crash left, and was never told to anybody.
absl::StatusOr<std::vector<IndexEntry>> ParseIndex(std::string_view text);

// Of a file; none is an index of nothing.
absl::StatusOr<std::vector<IndexEntry>> LoadIndex(const std::string& path);

}  // namespace rdmaready::pki
