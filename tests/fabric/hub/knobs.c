// SPDX-License-Identifier: Apache-2.0
#include "knobs.h"

#include "values.h"

enum { kMostShare = 100 };

void KnobShowBits(struct Text* to, uint8_t bits) {
  const char* comma = "";
  if (!bits) TextAdd(to, "none");
  for (int i = 0; i < kPriorities; i++) {
    if (!(bits >> i & 1)) continue;
    TextAdd(to, "%s%d", comma, i);
    comma = ",";
  }
}

bool KnobReadEts(const char* value, uint8_t share[kPriorities], bool strict[kPriorities]) {
  uint32_t values[kPriorities] = {0};
  uint64_t named;
  if (!ReadPairs(value, kPriorities, 0, kMostShare, "strict", values, &named)) return false;
  for (int i = 0; i < kPriorities; i++) {
    strict[i] = values[i] > kMostShare;
    share[i] = strict[i] ? 0 : (uint8_t)values[i];
  }
  return true;
}

void KnobShowEts(struct Text* to, const uint8_t share[kPriorities], const bool strict[kPriorities]) {
  for (int i = 0; i < kPriorities; i++) {
    TextAdd(to, "%s%d:", i ? "," : "", i);
    if (strict[i]) {
      TextAdd(to, "strict");
    } else {
      TextAdd(to, "%u", share[i]);
    }
  }
}
