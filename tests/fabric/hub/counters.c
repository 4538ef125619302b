// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <string.h>

static const uint64_t kSecondNs = 1000000000;

const char* DropName(enum Drop drop) {
  static const char* const kNames[kDrops] = {"short",    "long",  "cut",     "nowhere", "buffer",
                                             "headroom", "queue", "no_link", "memory"};
  return kNames[drop];
}

void CountersReset(struct Counters* counters) {
  memset(counters, 0, sizeof(*counters));
  for (int i = 0; i < kSeconds; i++) counters->seconds[i].number = UINT64_MAX;
}

struct Second* SecondAt(struct Counters* counters, uint64_t now_ns) {
  uint64_t number = now_ns / kSecondNs;
  struct Second* second = &counters->seconds[number % kSeconds];
  if (second->number != number) {
    memset(second, 0, sizeof(*second));
    second->number = number;
  }
  return second;
}

void Add(struct Tally* tally, uint32_t bytes) {
  tally->frames++;
  tally->bytes += bytes;
}

void CountDrop(struct Counters* counters, int priority, enum Drop why, uint32_t bytes, uint64_t now_ns) {
  Add(&counters->of[priority].dropped[why], bytes);
  Add(&SecondAt(counters, now_ns)->of[priority].dropped, bytes);
}
