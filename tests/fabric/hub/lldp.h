// SPDX-License-Identifier: Apache-2.0
// A port announces itself by LLDP (802.1AB) with the DCB TLVs of 802.1Q annex D: the truth, or what it
// is set to announce instead.
#ifndef FABRIC_HUB_LLDP_H_
#define FABRIC_HUB_LLDP_H_

#include "classify.h"
#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { kMostLldpBytes = 512, kMostApps = 32 };

struct Announced {
  uint8_t lossless;  // bits by priority
  uint8_t class_of[kPriorities];
  uint8_t share[kPriorities];
  bool strict[kPriorities];
  uint8_t apps;
  uint8_t app_dscp[kMostApps], app_priority[kMostApps];
};

struct Lldp {
  uint32_t every_ms;  // 0: silent
  uint64_t next_ns;
  bool false_pfc, false_ets, false_app;  // of `instead`
  struct Announced instead;
};

// All that a port does. APP rows are those DSCPs whose priority is lossless, and none without trust in DSCP.
struct Announced AnnouncedTruth(const struct Classifier* classifier, const struct Scheduler* scheduler,
                                uint8_t lossless);
// Returns the frame's bytes. Its TTL is four intervals.
uint32_t LldpWrite(const struct Lldp* lldp, const struct Announced* truth, const uint8_t* chassis,
                   const uint8_t* source, int port, uint32_t most_frame_bytes, uint8_t frame[kMostLldpBytes]);

#ifdef __cplusplus
}
#endif
#endif
