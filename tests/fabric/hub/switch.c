// SPDX-License-Identifier: Apache-2.0
#include "switch.h"

#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum {
  kKilobyte = 1024,
  kReserve = 16 * kKilobyte,
  kHeadroom = 256 * kKilobyte,
  kXoff = 128 * kKilobyte,
  kXon = 64 * kKilobyte,
  kQueueLimit = 8192 * kKilobyte,  // more than all that the QPs and TCP flows of four guests keep in flight
  kSharedLimit = 65536 * kKilobyte,
  kMostFrameBytes = 9216,
};
static const uint64_t kAgeingNs = 300000000000;

bool SwitchIsLossless(const struct Port* port, int priority) { return port->lossless >> priority & 1; }

void SwitchJudgePause(struct Port* port, int priority) {
  uint8_t bit = (uint8_t)(1 << priority);
  uint32_t used = PoolUsed(&port->pools[priority]);
  if (!SwitchIsLossless(port, priority)) {
    port->pause_out.wanted &= (uint8_t)~bit;
  } else if (used >= port->xoff[priority]) {
    port->pause_out.wanted |= bit;
  } else if (used <= port->xon[priority]) {
    port->pause_out.wanted &= (uint8_t)~bit;
  }
}

void SwitchSetLossless(struct Switch* of, int number, uint8_t lossless) {
  struct Port* port = &of->ports[number];
  port->lossless = lossless;
  for (int i = 0; i < kPriorities; i++) {
    if (!SwitchIsLossless(port, i)) port->pause_in.until_ns[i] = 0;
    SwitchJudgePause(port, i);
  }
}

void SwitchResetPort(struct Switch* of, int number) {
  struct Port* port = &of->ports[number];
  port->cut = false;
  ClassifierReset(&port->classifier);
  RemarkReset(&port->remark);
  SchedulerReset(&port->scheduler);
  port->rate = (struct Rate){.mbps = of->start_mbps};
  port->lldp = (struct Lldp){.every_ms = 0};
  for (int i = 0; i < kPriorities; i++) {
    port->queue_limit[i] = kQueueLimit;
    port->ecn_over[i] = 0;
    port->xoff[i] = kXoff;
    port->xon[i] = kXon;
    port->pools[i].reserve = kReserve;
    port->pools[i].headroom = kHeadroom;
  }
  SwitchSetLossless(of, number, 0);
}

void SwitchReset(struct Switch* of) {
  of->most_frame_bytes = kMostFrameBytes;
  of->floods_link_local = true;
  of->is_cable = false;
  of->shared.limit = kSharedLimit;
  of->macs.ageing_ns = kAgeingNs;
}

struct Switch* SwitchNew(int port_count, uint32_t start_mbps) {
  static const uint8_t kAddress[kMacBytes] = {0x02, 's', 'w', 0, 0, 0};
  struct Switch* of = calloc(1, sizeof(*of));
  if (!of) return NULL;
  of->port_count = port_count;
  of->start_mbps = start_mbps;
  memcpy(of->address, kAddress, kMacBytes);
  MacReset(&of->macs, kAgeingNs);
  SwitchReset(of);
  for (int i = 0; i < port_count; i++) {
    struct Port* port = &of->ports[i];
    memcpy(port->address, kAddress, kMacBytes);
    port->address[kMacBytes - 1] = (uint8_t)(i + 1);
    CountersReset(&port->counters);
    SwitchResetPort(of, i);
  }
  return of;
}

struct Frame* SwitchDequeue(struct Switch* of, struct Port* port, int priority) {
  struct Frame* frame = QueuePop(&port->queues[priority]);
  if (!frame) return NULL;
  struct Port* ingress = &of->ports[frame->in_port];
  PoolGive(&of->shared, &ingress->pools[priority], frame->bytes);
  SwitchJudgePause(ingress, priority);
  return frame;
}

static void DropQueued(struct Switch* of, struct Port* port, enum Drop why, uint64_t now_ns) {
  for (int i = 0; i < kPriorities; i++) {
    struct Frame* frame;
    while ((frame = SwitchDequeue(of, port, i))) {
      CountDrop(&port->counters, i, why, frame->bytes, now_ns);
      FrameFree(frame);
    }
  }
}

void SwitchFree(struct Switch* of) {
  for (int i = 0; i < of->port_count; i++) DropQueued(of, &of->ports[i], kDropNoLink, 0);
  free(of);
}

// A new link partner knows of no pause, and has sent none.
static void ForgetPartner(struct Port* port) {
  port->pause_out.sent = 0;
  port->pause_in = (struct PauseIn){.until_ns = {0}};
  port->rate.free_ns = 0;
}

void SwitchLinkUp(struct Switch* of, int number) {
  of->ports[number].has_link = true;
  ForgetPartner(&of->ports[number]);
}

void SwitchLinkDown(struct Switch* of, int number, uint64_t now_ns) {
  struct Port* port = &of->ports[number];
  port->has_link = false;
  ForgetPartner(port);
  MacForgetPort(&of->macs, number);
  DropQueued(of, port, kDropNoLink, now_ns);
}

void SwitchCut(struct Switch* of, int number, bool cut, uint64_t now_ns) {
  of->ports[number].cut = cut;
  if (cut) DropQueued(of, &of->ports[number], kDropCut, now_ns);
}

static void Sum(struct Tally* sum, const struct Tally* part) {
  sum->frames += part->frames;
  sum->bytes += part->bytes;
}

struct Totals SwitchTotals(const struct Switch* of) {
  struct Totals totals = {.in = {0, 0}};
  for (int i = 0; i < of->port_count; i++) {
    const struct Port* port = &of->ports[i];
    Sum(&totals.consumed, &port->counters.consumed);
    for (int j = 0; j < kPriorities; j++) {
      const struct PriorityCounters* counters = &port->counters.of[j];
      Sum(&totals.in, &counters->in);
      Sum(&totals.copied, &counters->copied);
      Sum(&totals.out, &counters->out);
      for (int why = 0; why < kDrops; why++) Sum(&totals.dropped, &counters->dropped[why]);
      totals.queued.frames += port->queues[j].frames;
      totals.queued.bytes += port->queues[j].bytes;
    }
  }
  return totals;
}
