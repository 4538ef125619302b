// SPDX-License-Identifier: Apache-2.0
// Fact<T>: one answer of the host, or the reason why there is none.
//
// A default-constructed Fact is *unknown* (kNotCollected), so that forgetting to collect something can
// never look like health. One Fact stands for one kernel answer, because that is what can be missing.
//
// Most source files copy Facts, with its eighty kinds of facts, so this class decides how long they compile.
// It holds a plain union: std::variant takes the compiler 12 s to copy Facts, the union 2 s. The members that
// copy, move, destroy and compare stand outside of the class, so that facts.cc can compile them once: then it
// takes 0.5 s.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

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

// Throws std::bad_variant_access.
[[noreturn]] void ThrowBadFactAccess();

template <class T>
class Fact {
 public:
  using value_type = T;

  Fact() noexcept : why_{}, known_(false) {}
  Fact(T value) : value_(std::move(value)), known_(true) {}   // NOLINT(google-explicit-constructor)
  Fact(Missing why) : why_(std::move(why)), known_(false) {}  // NOLINT(google-explicit-constructor)
  Fact(const Fact& other);
  Fact(Fact&& other) noexcept;  // leaves what `other` holds moved from, and as known as it was
  Fact& operator=(const Fact& other);
  Fact& operator=(Fact&& other) noexcept;
  ~Fact();

  explicit operator bool() const { return known_; }

  // Only when the fact is known; std::bad_variant_access otherwise.
  const T& operator*() const {
    if (!known_) ThrowBadFactAccess();
    return value_;
  }
  const T* operator->() const { return &**this; }
  // Only when the fact is not known; std::bad_variant_access otherwise.
  const Missing& missing() const {
    if (known_) ThrowBadFactAccess();
    return why_;
  }

  // Makes the fact known, with a default value that the caller fills in.
  T& Emplace();

  bool operator==(const Fact& other) const;

 private:
  void Destroy() noexcept;
  void Take(Fact& other) noexcept;  // into a destroyed fact

  union {
    Missing why_;  // NOLINT(readability-identifier-naming)
    T value_;      // NOLINT(readability-identifier-naming)
  };
  bool known_;  // which of the two lives
};

template <class T>
Fact<T>::Fact(const Fact& other) : known_(other.known_) {
  if (known_) {
    ::new (&value_) T(other.value_);
  } else {
    ::new (&why_) Missing(other.why_);
  }
}

template <class T>
Fact<T>::Fact(Fact&& other) noexcept {
  Take(other);
}

template <class T>
Fact<T>& Fact<T>::operator=(const Fact& other) {
  Fact copy(other);
  Destroy();
  Take(copy);
  return *this;
}

template <class T>
Fact<T>& Fact<T>::operator=(Fact&& other) noexcept {
  if (this == &other) return *this;
  Destroy();
  Take(other);
  return *this;
}

template <class T>
Fact<T>::~Fact() {
  Destroy();
}

template <class T>
T& Fact<T>::Emplace() {
  *this = Fact(T{});
  return value_;
}

template <class T>
bool Fact<T>::operator==(const Fact& other) const {
  if (known_ != other.known_) return false;
  return known_ ? value_ == other.value_ : why_ == other.why_;
}

template <class T>
void Fact<T>::Destroy() noexcept {
  if (known_) {
    value_.~T();
  } else {
    why_.~Missing();
  }
}

template <class T>
void Fact<T>::Take(Fact& other) noexcept {
  known_ = other.known_;
  if (known_) {
    ::new (&value_) T(std::move(other.value_));
  } else {
    ::new (&why_) Missing(std::move(other.why_));
  }
}

// The usual ones are compiled once, in fact.cc.
extern template class Fact<bool>;
extern template class Fact<std::uint8_t>;
extern template class Fact<std::uint16_t>;
extern template class Fact<std::uint32_t>;
extern template class Fact<std::uint64_t>;
extern template class Fact<std::int32_t>;
extern template class Fact<std::string>;
extern template class Fact<std::vector<std::string>>;
extern template class Fact<std::vector<std::uint16_t>>;

}  // namespace rdmaready
