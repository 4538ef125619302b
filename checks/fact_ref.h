// SPDX-License-Identifier: Apache-2.0
// FactRef: a fact that stands somewhere else, looked at without a copy: a netdev holds its neighbours,
// statistics and link modes. It must not outlive the facts of the host.
#pragma once

#include "api/model/facts.h"

namespace rdmaready {

template <class T>
class FactRef {
 public:
  FactRef(const Fact<T>& fact)  // NOLINT(google-explicit-constructor)
      : known_(fact ? &*fact : nullptr), why_(fact ? nullptr : &fact.missing()) {}
  FactRef(const Fact<T>&&) = delete;
  explicit FactRef(const T& known) : known_(&known) {}
  explicit FactRef(const Missing& why) : why_(&why) {}

  operator Fact<T>() const { return known_ != nullptr ? Fact<T>(*known_) : Fact<T>(*why_); }  // NOLINT

  explicit operator bool() const { return known_ != nullptr; }

  // Only when the fact is known.
  const T& operator*() const { return *known_; }
  const T* operator->() const { return known_; }
  // Only when it is not.
  const Missing& missing() const { return *why_; }

 private:
  const T* known_ = nullptr;
  const Missing* why_ = nullptr;
};

using NetdevRef = FactRef<Netdev>;

}  // namespace rdmaready
