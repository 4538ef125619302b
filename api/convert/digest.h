// SPDX-License-Identifier: Apache-2.0
// What a host's facts are known by: two readings have one digest when nothing but what moves by itself lies
// between them. What that is each struct says beside its fields (FieldKind); a field that nobody marked counts.
#pragma once

#include <string>

#include "api/model/facts.h"
#include "api/model/fields.h"

namespace rdmaready {

// Counters, measured values, ages, what is in use now, neighbours and numbers of processes and interfaces are
// not.
constexpr bool InDigest(FieldKind kind) {
  switch (kind) {
    case FieldKind::kNone:
    case FieldKind::kSetting:
    case FieldKind::kState:
      return true;
    case FieldKind::kPassing:
    case FieldKind::kReading:
      return false;
  }
  return true;
}

// What the digest of the struct is made of; gaps with their reason. Different for different values, and not to
// be read back.
std::string DigestedText(const TypeInfo& type, const void* object);

inline std::string DigestedText(const Facts& facts) { return DigestedText(TypeOf<Facts>(), &facts); }

}  // namespace rdmaready
