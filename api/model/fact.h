// SPDX-License-Identifier: Apache-2.0
// Fact<T>: one answer of the host, or the reason why there is none.
//
// A default-constructed Fact is *unknown* (kNotCollected), so that forgetting to collect something can
// never look like health. One Fact stands for one kernel answer, because that is what can be missing.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace rdmaready {

// A gap in our picture of the host. It is not an error of ours: `detail` holds the kernel's words.
struct Missing {
  enum class Kind {
    kNotCollected,  // nobody asked
    kUnsupported,   // the kernel, driver or device does not offer it
    kDenied,        // a privilege is missing
    kFailed,        // asked, and the answer was an error or made no sense
  };
  Kind kind = Kind::kNotCollected;
  std::string detail{};

  bool operator==(const Missing&) const = default;
};

template <class T>
class Fact {
 public:
  using value_type = T;

  Fact() = default;
  Fact(T value) : state_(std::move(value)) {}    // NOLINT(google-explicit-constructor)
  Fact(Missing why) : state_(std::move(why)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 1; }

  // Only when the fact is known; std::bad_variant_access otherwise.
  const T& operator*() const { return std::get<1>(state_); }
  const T* operator->() const { return &std::get<1>(state_); }
  // Only when the fact is not known.
  const Missing& missing() const { return std::get<0>(state_); }

  // Makes the fact known, with a default value that the caller fills in.
  T& Emplace() { return state_.template emplace<1>(); }

  bool operator==(const Fact&) const = default;

 private:
  std::variant<Missing, T> state_;
};

}  // namespace rdmaready
