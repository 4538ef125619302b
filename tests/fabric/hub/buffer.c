// SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

static uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// A limit that was lowered may be below what is used.
static uint32_t Left(uint32_t limit, uint32_t used) { return used < limit ? limit - used : 0; }

uint32_t PoolUsed(const struct Pool* pool) { return pool->in_reserve + pool->in_shared + pool->in_headroom; }

bool PoolTake(struct Shared* shared, struct Pool* pool, uint32_t bytes, bool lossless) {
  uint32_t reserve = Least(bytes, Left(pool->reserve, pool->in_reserve));
  uint32_t common = Least(bytes - reserve, Left(shared->limit, shared->used));
  uint32_t headroom = bytes - reserve - common;
  if (headroom > (lossless ? Left(pool->headroom, pool->in_headroom) : 0)) return false;
  pool->in_reserve += reserve;
  pool->in_shared += common;
  pool->in_headroom += headroom;
  shared->used += common;
  return true;
}

void PoolGive(struct Shared* shared, struct Pool* pool, uint32_t bytes) {
  uint32_t headroom = Least(bytes, pool->in_headroom);
  uint32_t common = Least(bytes - headroom, pool->in_shared);
  pool->in_headroom -= headroom;
  pool->in_shared -= common;
  pool->in_reserve -= bytes - headroom - common;
  shared->used -= common;
}
