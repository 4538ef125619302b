// SPDX-License-Identifier: Apache-2.0
// JSON as recordings hold it: bytes as text a person can read where they are that, else as {"hex": "..."}; and
// a strict reader of objects that may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
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

  bool Has(const char* key) const { return object_.contains(key); }
  std::string Text(const char* key);              // as FromText wrote it
  std::vector<std::byte> Bytes(const char* key);  // as HexOf wrote it
  bool Flag(const char* key);
  template <class Number>
  Number Unsigned(const char* key) {
    return static_cast<Number>(UpTo(key, std::numeric_limits<Number>::max()));
  }
  // The elements, each read by `read(Reader&)`, which returns one.
  template <class Element, class Read>
  std::vector<Element> List(const char* key, Read read);
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
  std::uint64_t UpTo(const char* key, std::uint64_t largest);

  const Json& object_;
  std::set<std::string_view> asked_{};
  absl::Status status_{};
};

template <class Element, class Read>
std::vector<Element> Reader::List(const char* key, Read read) {
  std::vector<Element> elements;
  const Json* list = Member(key);
  if (list == nullptr) return elements;
  if (!list->is_array()) {
    Fail("no list \"" + std::string(key) + "\"");
    return elements;
  }
  for (const Json& one : *list) {
    if (!one.is_object()) {
      Fail("\"" + std::string(key) + "\" holds something else than objects");
      return elements;
    }
    Reader reader(one);
    elements.push_back(read(reader));
    if (absl::Status status = reader.status(); !status.ok()) {
      if (status_.ok()) status_ = std::move(status);
      return elements;
    }
  }
  return elements;
}

}  // namespace rdmaready::recording
