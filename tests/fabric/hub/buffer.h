// SPDX-License-Identifier: Apache-2.0
// The memory for frames that wait: shared by all ports, with a reserve and, for lossless priorities, a headroom
// of each ingress port and priority. A frame is charged to the pool of where it came in, to the byte: first to
// the reserve, then to what is shared, then to the headroom.
#ifndef FABRIC_HUB_BUFFER_H_
#define FABRIC_HUB_BUFFER_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The frames of one ingress port and priority. All in bytes.
struct Pool {
  uint32_t reserve, headroom;  // limits
  uint32_t in_reserve, in_shared, in_headroom;
};

struct Shared {
  uint32_t limit, used;
};

uint32_t PoolUsed(const struct Pool* pool);
// False, and nothing is charged, where the limits leave no room. Only a lossless frame may use the headroom.
bool PoolTake(struct Shared* shared, struct Pool* pool, uint32_t bytes, bool lossless);
// The headroom is emptied first, the reserve last.
void PoolGive(struct Shared* shared, struct Pool* pool, uint32_t bytes);

#ifdef __cplusplus
}
#endif
#endif
