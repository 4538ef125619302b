// SPDX-License-Identifier: Apache-2.0
#include "mac.h"

#include <string.h>

void MacReset(struct MacTable* table, uint64_t ageing_ns) {
  memset(table, 0, sizeof(*table));
  table->ageing_ns = ageing_ns;
  for (int i = 0; i < kMacBuckets; i++) {
    for (int j = 0; j < kMacWays; j++) table->entries[i][j].port = -1;
  }
}

// FNV-1a.
static uint32_t BucketOf(const uint8_t* address) {
  uint32_t hash = 2166136261U;
  for (int i = 0; i < kMacBytes; i++) hash = (hash ^ address[i]) * 16777619U;
  return (hash ^ hash >> 16) % kMacBuckets;
}

static bool IsAlive(const struct MacTable* table, const struct Mac* mac, uint64_t now_ns) {
  return mac->port >= 0 && (table->ageing_ns == 0 || now_ns - mac->seen_ns < table->ageing_ns);
}

void MacLearn(struct MacTable* table, const uint8_t* address, int port, uint64_t now_ns) {
  if (address[0] & 1) return;
  struct Mac* bucket = table->entries[BucketOf(address)];
  struct Mac* place = &bucket[0];
  for (int i = 0; i < kMacWays; i++) {
    struct Mac* mac = &bucket[i];
    if (IsAlive(table, mac, now_ns) && memcmp(mac->address, address, kMacBytes) == 0) {
      if (mac->port != port) table->moved++;
      mac->port = (int8_t)port;
      mac->seen_ns = now_ns;
      return;
    }
    bool is_free = !IsAlive(table, mac, now_ns), has_free = !IsAlive(table, place, now_ns);
    if (!has_free && (is_free || mac->seen_ns < place->seen_ns)) place = mac;
  }
  if (IsAlive(table, place, now_ns)) table->evicted++;
  table->learned++;
  *place = (struct Mac){.seen_ns = now_ns, .port = (int8_t)port};
  memcpy(place->address, address, kMacBytes);
}

int MacFind(const struct MacTable* table, const uint8_t* address, uint64_t now_ns) {
  if (address[0] & 1) return -1;
  const struct Mac* bucket = table->entries[BucketOf(address)];
  for (int i = 0; i < kMacWays; i++) {
    const struct Mac* mac = &bucket[i];
    if (IsAlive(table, mac, now_ns) && memcmp(mac->address, address, kMacBytes) == 0) return mac->port;
  }
  return -1;
}

void MacForgetPort(struct MacTable* table, int port) {
  for (int i = 0; i < kMacBuckets; i++) {
    for (int j = 0; j < kMacWays; j++) {
      if (table->entries[i][j].port == port) table->entries[i][j].port = -1;
    }
  }
}

uint32_t MacCount(const struct MacTable* table, uint64_t now_ns) {
  uint32_t count = 0;
  for (int i = 0; i < kMacBuckets; i++) {
    for (int j = 0; j < kMacWays; j++) count += IsAlive(table, &table->entries[i][j], now_ns);
  }
  return count;
}
