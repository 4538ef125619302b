// SPDX-License-Identifier: Apache-2.0
// Which priority sends next on a port: strict classes first, the highest number before the others; then the
// classes that share the port by deficit weighted round robin (ETS, 802.1Q clause 37). The priorities of one
// class take turns, a frame each.
#ifndef FABRIC_HUB_SCHEDULER_H_
#define FABRIC_HUB_SCHEDULER_H_

#include <stdbool.h>
#include <stdint.h>

#include "classify.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Scheduler {
  uint8_t class_of[kPriorities];  // of each priority
  uint8_t share[kPriorities];  // of each class: a weight, at most 100; 0: sends where no class with a share can
  bool strict[kPriorities];    // of each class
  uint32_t deficit[kPriorities];  // of each class, in bytes
  uint8_t turn;                   // the class whose turn it is
  bool has_quantum;               // which it was given for this turn
  uint8_t last[kPriorities];      // of each class: the priority that sent last
};

// A class of its own for each priority, all with equal shares.
void SchedulerReset(struct Scheduler* scheduler);
// The priority that sends, or -1. `ready` has a bit for each priority with a frame that may go, whose size is
// in `head_bytes`.
int SchedulerPick(struct Scheduler* scheduler, uint8_t ready, const uint32_t head_bytes[kPriorities]);

#ifdef __cplusplus
}
#endif
#endif
