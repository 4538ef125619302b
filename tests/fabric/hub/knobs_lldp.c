// SPDX-License-Identifier: Apache-2.0
// The knobs of LLDP: how often a port announces itself, and what it says instead of the truth.
#include <string.h>

#include "knobs.h"
#include "values.h"

enum { kMostSilenceMs = 600000 };

static bool SetLldp(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  struct Lldp* lldp = &of->ports[port].lldp;
  if (!ReadNumber(value, 0, kMostSilenceMs, &lldp->every_ms)) return false;
  lldp->next_ns = now_ns;
  return true;
}

static void ShowLldp(const struct Switch* of, int port, struct Text* to) {
  TextAdd(to, "%u", of->ports[port].lldp.every_ms);
}

static bool IsTrue(const char* value) { return strcmp(value, "true") == 0; }

static bool SetLldpPfc(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  struct Lldp* lldp = &of->ports[port].lldp;
  if (!IsTrue(value) && !ReadBits(value, &lldp->instead.lossless)) return false;
  lldp->false_pfc = !IsTrue(value);
  lldp->next_ns = now_ns;
  return true;
}

static void ShowLldpPfc(const struct Switch* of, int port, struct Text* to) {
  const struct Lldp* lldp = &of->ports[port].lldp;
  if (lldp->false_pfc) {
    KnobShowBits(to, lldp->instead.lossless);
  } else {
    TextAdd(to, "true");
  }
}

// The classes of the priorities stay true.
static bool SetLldpEts(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  struct Lldp* lldp = &of->ports[port].lldp;
  if (!IsTrue(value) && !KnobReadEts(value, lldp->instead.share, lldp->instead.strict)) return false;
  memcpy(lldp->instead.class_of, of->ports[port].scheduler.class_of, sizeof(lldp->instead.class_of));
  lldp->false_ets = !IsTrue(value);
  lldp->next_ns = now_ns;
  return true;
}

static void ShowLldpEts(const struct Switch* of, int port, struct Text* to) {
  const struct Lldp* lldp = &of->ports[port].lldp;
  if (lldp->false_ets) {
    KnobShowEts(to, lldp->instead.share, lldp->instead.strict);
  } else {
    TextAdd(to, "true");
  }
}

// Rows of DSCP and priority, or none.
static bool SetLldpApp(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  struct Lldp* lldp = &of->ports[port].lldp;
  uint32_t values[kDscps] = {0};
  uint64_t named = 0;
  if (!IsTrue(value) && strcmp(value, "none") != 0 &&
      !ReadPairs(value, kDscps, 0, kPriorities - 1, NULL, values, &named))
    return false;
  lldp->false_app = !IsTrue(value);
  lldp->next_ns = now_ns;
  lldp->instead.apps = 0;
  for (int dscp = 0; dscp < kDscps && lldp->instead.apps < kMostApps; dscp++) {
    if (!(named >> dscp & 1)) continue;
    lldp->instead.app_dscp[lldp->instead.apps] = (uint8_t)dscp;
    lldp->instead.app_priority[lldp->instead.apps++] = (uint8_t)values[dscp];
  }
  return true;
}

static void ShowLldpApp(const struct Switch* of, int port, struct Text* to) {
  const struct Lldp* lldp = &of->ports[port].lldp;
  if (!lldp->false_app) {
    TextAdd(to, "true");
  } else if (lldp->instead.apps == 0) {
    TextAdd(to, "none");
  }
  for (int i = 0; lldp->false_app && i < lldp->instead.apps; i++) {
    TextAdd(to, "%s%u:%u", i ? "," : "", lldp->instead.app_dscp[i], lldp->instead.app_priority[i]);
  }
}

const struct Knob kLldpKnobs[kLldpKnobCount] = {
    {"lldp_ms", SetLldp, ShowLldp},
    {"lldp_pfc", SetLldpPfc, ShowLldpPfc},
    {"lldp_ets", SetLldpEts, ShowLldpEts},
    {"lldp_app", SetLldpApp, ShowLldpApp},
};
