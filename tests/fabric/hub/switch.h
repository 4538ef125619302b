// SPDX-License-Identifier: Apache-2.0
// An Ethernet switch without sockets and without a clock: frames come and go by calls, and each call says what
// time it is. Ports are numbered from 0 here; whatever a person reads or types counts from 1.
//
// At any moment, in frames and in bytes: in + copied = out + dropped + consumed + queued (SwitchTotals). Frames
// that the switch makes itself (pauses, LLDP) are counted apart.
#ifndef FABRIC_HUB_SWITCH_H_
#define FABRIC_HUB_SWITCH_H_

#include "buffer.h"
#include "counters.h"
#include "lldp.h"
#include "mac.h"
#include "pause.h"
#include "queue.h"
#include "rate.h"
#include "remark.h"
#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { kMostPorts = 16 };

struct Port {
  bool has_link;
  uint8_t address[kMacBytes];
  // Settings.
  bool cut;          // the link stays, nothing passes
  uint8_t lossless;  // priorities with PFC, as bits: stops the link partner for them and obeys when the partner
                     // does
  struct Classifier classifier;
  struct Remark remark;  // as ingress
  struct Scheduler scheduler;
  struct Rate rate;
  struct Lldp lldp;
  uint32_t queue_limit[kPriorities];  // bytes; of a lossy priority, as egress
  uint32_t ecn_over[kPriorities];     // marks when the queue is longer, in bytes; 0: never
  uint32_t xoff[kPriorities];         // bytes in its pool from which on the link partner is stopped
  uint32_t xon[kPriorities];          // and down to which it stays so
  // State.
  struct Pool pools[kPriorities];    // as ingress
  struct Queue queues[kPriorities];  // as egress
  struct PauseOut pause_out;
  struct PauseIn pause_in;
  struct Counters counters;
};

struct Switch {
  int port_count;
  uint32_t start_mbps;  // the rate of each port until one is set, and after a reset
  uint8_t address[kMacBytes];
  uint32_t most_frame_bytes;
  bool floods_link_local;  // 01:80:c2:00:00:00 to 0f, but not MAC control
  bool is_cable;           // MAC control passes, as over a cable between the hosts
  struct Shared shared;
  struct MacTable macs;
  struct Port ports[kMostPorts];
};

struct Totals {
  struct Tally in, copied, out, dropped, consumed, queued;
};

// NULL without memory.
struct Switch* SwitchNew(int port_count, uint32_t start_mbps);
void SwitchFree(struct Switch* of);
// The settings of a port, or those of the whole switch, as at the start. Frames stay where they are.
void SwitchResetPort(struct Switch* of, int port);
void SwitchReset(struct Switch* of);

void SwitchLinkUp(struct Switch* of, int port);
// Frames that wait for the port are dropped.
void SwitchLinkDown(struct Switch* of, int port, uint64_t now_ns);
void SwitchCut(struct Switch* of, int port, bool cut, uint64_t now_ns);
void SwitchSetLossless(struct Switch* of, int port, uint8_t lossless);

void SwitchReceive(struct Switch* of, int port, const uint8_t* data, uint32_t bytes, uint64_t now_ns);
// The next frame of a port, or NULL. The caller has it from then on, and frees it.
struct Frame* SwitchTransmit(struct Switch* of, int port, uint64_t now_ns);
// The time at which SwitchTransmit has a frame if nothing comes in before: in the past when it has one now.
// UINT64_MAX: never.
uint64_t SwitchWakesNs(const struct Switch* of, int port);

struct Totals SwitchTotals(const struct Switch* of);

#ifdef __cplusplus
}
#endif
#endif
