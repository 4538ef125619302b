// SPDX-License-Identifier: Apache-2.0
// The table of addresses that the switch learns: of a fixed size, the oldest of a bucket goes first.
#ifndef FABRIC_HUB_MAC_H_
#define FABRIC_HUB_MAC_H_

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { kMacBuckets = 256, kMacWays = 4, kMostMacs = kMacBuckets * kMacWays };

struct Mac {
  uint64_t seen_ns;
  uint8_t address[kMacBytes];
  int8_t port;  // -1: free
};

struct MacTable {
  uint64_t ageing_ns;  // 0: never
  uint64_t learned, moved, evicted;
  struct Mac entries[kMacBuckets][kMacWays];
};

void MacReset(struct MacTable* table, uint64_t ageing_ns);
// A group address is never learned.
void MacLearn(struct MacTable* table, const uint8_t* address, int port, uint64_t now_ns);
// The port behind an address, or -1.
int MacFind(const struct MacTable* table, const uint8_t* address, uint64_t now_ns);
void MacForgetPort(struct MacTable* table, int port);
// Entries that are not too old.
uint32_t MacCount(const struct MacTable* table, uint64_t now_ns);

#ifdef __cplusplus
}
#endif
#endif
