// SPDX-License-Identifier: Apache-2.0
// The rate of a port: when its wire is free again. A second of the wire is a million bits for each Mb/s, of the
// frames alone (no preamble, no check sequence, no gap).
#ifndef FABRIC_HUB_RATE_H_
#define FABRIC_HUB_RATE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kMostMbps = 100000,
  // A port without a rate sends as fast as the guest takes frames. Times that are counted in bits of the wire
  // (the quanta of a pause) are as at this rate.
  kNominalMbps = 1000,
};

struct Rate {
  uint32_t mbps;     // 0: none
  uint64_t free_ns;  // when the last frame is over
};

// How long so many bits take.
uint64_t RateBitsNs(const struct Rate* rate, uint64_t bits);
// When the next frame may begin: 0 without a rate.
uint64_t RateFreeNs(const struct Rate* rate);
// A frame begins. One that begins up to 10 ms late, because the process did not run, is counted as in time.
void RateSend(struct Rate* rate, uint32_t bytes, uint64_t now_ns);

#ifdef __cplusplus
}
#endif
#endif
