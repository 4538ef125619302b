// SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

// Bytes a turn for each unit of a share. Small against a frame, so that a class with a large share sends no
// long burst.
enum { kQuantumBytes = 128 };

void SchedulerReset(struct Scheduler* scheduler) {
  *scheduler = (struct Scheduler){.turn = 0};
  for (int i = 0; i < kPriorities; i++) {
    scheduler->class_of[i] = (uint8_t)i;
    scheduler->share[i] = i < 4 ? 13 : 12;  // of 100
  }
}

// The priority of this class whose turn it is, or -1.
static int Within(const struct Scheduler* scheduler, int number, uint8_t ready) {
  for (int i = 1; i <= kPriorities; i++) {
    int priority = (scheduler->last[number] + i) % kPriorities;
    if ((ready >> priority & 1) && scheduler->class_of[priority] == number) return priority;
  }
  return -1;
}

static int Chosen(struct Scheduler* scheduler, int number, int priority) {
  scheduler->last[number] = (uint8_t)priority;
  return priority;
}

static void NextTurn(struct Scheduler* scheduler) {
  scheduler->turn = (uint8_t)((scheduler->turn + 1) % kPriorities);
  scheduler->has_quantum = false;
}

// `candidates` has the priority of each class that can send, or -1. One of them has a weight.
static int PickByWeight(struct Scheduler* scheduler, const int candidates[kPriorities],
                        const uint8_t weights[kPriorities], const uint32_t head_bytes[kPriorities]) {
  for (;;) {
    int number = scheduler->turn, priority = candidates[number];
    if (priority < 0 || weights[number] == 0) {
      scheduler->deficit[number] = 0;
      NextTurn(scheduler);
      continue;
    }
    if (!scheduler->has_quantum) scheduler->deficit[number] += (uint32_t)weights[number] * kQuantumBytes;
    scheduler->has_quantum = true;
    if (scheduler->deficit[number] >= head_bytes[priority]) {
      scheduler->deficit[number] -= head_bytes[priority];
      return Chosen(scheduler, number, priority);
    }
    NextTurn(scheduler);
  }
}

int SchedulerPick(struct Scheduler* scheduler, uint8_t ready, const uint32_t head_bytes[kPriorities]) {
  int candidates[kPriorities];
  bool has_candidate = false, has_share = false;
  for (int number = kPriorities - 1; number >= 0; number--) {
    candidates[number] = Within(scheduler, number, ready);
    if (candidates[number] < 0) continue;
    if (scheduler->strict[number]) return Chosen(scheduler, number, candidates[number]);
    has_candidate = true;
    has_share |= scheduler->share[number] > 0;
  }
  if (!has_candidate) return -1;
  uint8_t weights[kPriorities];
  for (int number = 0; number < kPriorities; number++)
    weights[number] = has_share ? scheduler->share[number] : 1;
  return PickByWeight(scheduler, candidates, weights, head_bytes);
}
