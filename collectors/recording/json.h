// SPDX-License-Identifier: Apache-2.0
// JSON as recordings hold it: bytes as text a person can read where they are that, else as {"hex": "..."}; and
// a strict reader of objects that may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready::recording {

using Json = nlohmann::ordered_json;

// A string when every byte is printable ASCII, tab or newline; else {"hex": "..."}.
Json FromText(std::string_view text);

// Lower-case hexadecimal.
std::string HexOf(std::span<const std::byte> bytes);

// What one line may hold at most: a line of our own is three levels deep, its widest object has a dozen
// members, and an element of JSON takes up to forty times the memory of its text. Json compares each member's
// name with all before it.
inline constexpr int kMaxJsonDepth = 8;
inline constexpr std::size_t kMaxJsonMembers = 256;  // of one object
inline constexpr std::size_t kMaxJsonElements = 500'000;

// An object within these bounds, or kInvalidArgument without the place. Never throws, whatever the text; what
// is out of bounds is not kept while it is read.
absl::StatusOr<Json> ParseObject(std::string_view text);

// The status of an answer: its code as a word, its text.
Json FromStatus(const absl::Status& status);

// Reads the members of one object. The first thing that is wrong is kept, and everything after it reads as
// zero: ask for all, then look at status().
class Reader {
 public:
  // `object` outlives it.
  explicit Reader(const Json& object) : object_(object) {}

  bool Has(const char* key) const;
  std::string Text(const char* key);              // as FromText wrote it
  std::vector<std::byte> Bytes(const char* key);  // as HexOf wrote it
  bool Flag(const char* key);
  template <class Number>
  Number Unsigned(const char* key) {
    return static_cast<Number>(UpTo(key, std::numeric_limits<Number>::max()));
  }
  // The elements, each read by `read(Reader&)`, which returns one.
  template <class Element, class Read>
  std::vector<Element> List(const char* key, Read read) {
    std::vector<Element> elements;
    Each(key, [&](Reader& reader) { elements.push_back(read(reader)); });
    return elements;
  }
  std::vector<std::string> Texts(const char* key);
  // The status that FromStatus wrote; never OK.
  absl::Status Error(const char* key);

  // kInvalidArgument: "no number \"port\"". Also when the object has members that nobody asked for: what is not
  // understood must not be passed over.
  absl::Status status();

  void Fail(const std::string& why);
  // A member for people, not for the program.
  void Ignore(const char* key) { asked_.insert(key); }

 private:
  const Json* Member(const char* key);
  // Calls `read` with each object of a list, until one is wrong.
  void Each(const char* key, const std::function<void(Reader& reader)>& read);
  std::uint64_t UpTo(const char* key, std::uint64_t largest);

  const Json& object_;
  std::set<std::string_view> asked_{};
  absl::Status status_{};
};

}  // namespace rdmaready::recording
