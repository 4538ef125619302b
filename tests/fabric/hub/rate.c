// SPDX-License-Identifier: Apache-2.0
#include "rate.h"

static const uint64_t kLateNs = 10000000;

uint64_t RateBitsNs(const struct Rate* rate, uint64_t bits) {
  return bits * 1000 / (rate->mbps ? rate->mbps : kNominalMbps);
}

uint64_t RateFreeNs(const struct Rate* rate) { return rate->mbps ? rate->free_ns : 0; }

void RateSend(struct Rate* rate, uint32_t bytes, uint64_t now_ns) {
  if (!rate->mbps) return;
  uint64_t earliest = now_ns > kLateNs ? now_ns - kLateNs : 0;
  uint64_t begin = rate->free_ns > earliest ? rate->free_ns : earliest;
  rate->free_ns = begin + RateBitsNs(rate, (uint64_t)bytes * 8);
}
