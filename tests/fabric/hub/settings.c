// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <string.h>

#include "knobs.h"
#include "values.h"

enum {
  kKilobyte = 1024,
  kMostKilobytes = 262144,
  kLeastFrame = 1518,
  kMostFrame = 65535,
  kMostAgeingS = 1000000,
};
static const uint64_t kSecondNs = 1000000000;

static void ShowPairs(struct Text* to, const uint32_t values[], uint32_t keys) {
  bool all_equal = true;
  for (uint32_t key = 1; key < keys; key++) all_equal &= values[key] == values[0];
  if (all_equal) {
    TextAdd(to, "%u", values[0]);
    return;
  }
  for (uint32_t key = 0; key < keys; key++) TextAdd(to, "%s%u:%u", key ? "," : "", key, values[key]);
}

// --- maps of small numbers

static bool SetMap(uint8_t* map, uint32_t keys, const char* value) {
  uint32_t values[kMostKeys];
  uint64_t named;
  for (uint32_t i = 0; i < keys; i++) values[i] = map[i];
  if (!ReadPairs(value, keys, 0, kPriorities - 1, NULL, values, &named)) return false;
  for (uint32_t i = 0; i < keys; i++) map[i] = (uint8_t)values[i];
  return true;
}

static void ShowMap(struct Text* to, const uint8_t* map, uint32_t keys) {
  uint32_t values[kMostKeys];
  for (uint32_t i = 0; i < keys; i++) values[i] = map[i];
  ShowPairs(to, values, keys);
}

static bool SetPcp(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  return SetMap(of->ports[port].classifier.of_pcp, kPriorities, value);
}

static void ShowPcp(const struct Switch* of, int port, struct Text* to) {
  ShowMap(to, of->ports[port].classifier.of_pcp, kPriorities);
}

static bool SetDscp(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  return SetMap(of->ports[port].classifier.of_dscp, kDscps, value);
}

static void ShowDscp(const struct Switch* of, int port, struct Text* to) {
  ShowMap(to, of->ports[port].classifier.of_dscp, kDscps);
}

static bool SetClass(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  return SetMap(of->ports[port].scheduler.class_of, kPriorities, value);
}

static void ShowClass(const struct Switch* of, int port, struct Text* to) {
  ShowMap(to, of->ports[port].scheduler.class_of, kPriorities);
}

// --- classification

static const char* const kTrusts[] = {"port", "pcp", "dscp"};

static bool SetTrust(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  for (int i = kTrustPort; i <= kTrustDscp; i++) {
    if (strcmp(value, kTrusts[i]) != 0) continue;
    of->ports[port].classifier.trust = (enum Trust)i;
    return true;
  }
  return false;
}

static void ShowTrust(const struct Switch* of, int port, struct Text* to) {
  TextAdd(to, "%s", kTrusts[of->ports[port].classifier.trust]);
}

static bool SetPriority(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  uint32_t number;
  if (!ReadNumber(value, 0, kPriorities - 1, &number)) return false;
  of->ports[port].classifier.port_priority = (uint8_t)number;
  return true;
}

static void ShowPriority(const struct Switch* of, int port, struct Text* to) {
  TextAdd(to, "%u", of->ports[port].classifier.port_priority);
}

// --- what leaves with another mark than it came with

static bool SetRemark(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  uint32_t values[kMostKeys];
  uint64_t named;
  for (uint32_t i = 0; i < kDscps; i++) values[i] = of->ports[port].remark.to_dscp[i];
  if (!ReadPairs(value, kDscps, 0, kDscps - 1, NULL, values, &named)) return false;
  for (uint32_t i = 0; i < kDscps; i++) of->ports[port].remark.to_dscp[i] = (uint8_t)values[i];
  return true;
}

static void ShowRemark(const struct Switch* of, int port, struct Text* to) {
  ShowMap(to, of->ports[port].remark.to_dscp, kDscps);
}

static const char kOddQueuePairs[] = "odd-qp", kEveryFrame[] = "all";

static bool SetRemarkOf(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  bool odd = strcmp(value, kOddQueuePairs) == 0;
  if (!odd && strcmp(value, kEveryFrame) != 0) return false;
  of->ports[port].remark.odd_queue_pairs = odd;
  return true;
}

static void ShowRemarkOf(const struct Switch* of, int port, struct Text* to) {
  TextAdd(to, "%s", of->ports[port].remark.odd_queue_pairs ? kOddQueuePairs : kEveryFrame);
}

// --- egress

static bool SetRate(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  return ReadNumber(value, 0, kMostMbps, &of->ports[port].rate.mbps);
}

static void ShowRate(const struct Switch* of, int port, struct Text* to) {
  TextAdd(to, "%u", of->ports[port].rate.mbps);
}

static bool SetPortEts(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  return KnobReadEts(value, of->ports[port].scheduler.share, of->ports[port].scheduler.strict);
}

static void ShowPortEts(const struct Switch* of, int port, struct Text* to) {
  KnobShowEts(to, of->ports[port].scheduler.share, of->ports[port].scheduler.strict);
}

static bool SetCut(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  bool cut;
  if (!ReadSwitch(value, &cut)) return false;
  SwitchCut(of, port, cut, now_ns);
  return true;
}

static void ShowCut(const struct Switch* of, int port, struct Text* to) {
  TextAdd(to, of->ports[port].cut ? "on" : "off");
}

// --- lossless priorities

static bool SetPfc(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)now_ns;
  uint8_t bits;
  if (!ReadBits(value, &bits)) return false;
  SwitchSetLossless(of, port, bits);
  return true;
}

static void ShowPfc(const struct Switch* of, int port, struct Text* to) {
  KnobShowBits(to, of->ports[port].lossless);
}

// --- sizes in kilobytes, one for each priority

enum Size { kSizeQueue, kSizeEcn, kSizeXoff, kSizeXon, kSizeReserve, kSizeHeadroom };

static uint32_t* SizeAt(struct Port* port, enum Size size, int priority) {
  switch (size) {
    case kSizeQueue:
      return &port->queue_limit[priority];
    case kSizeEcn:
      return &port->ecn_over[priority];
    case kSizeXoff:
      return &port->xoff[priority];
    case kSizeXon:
      return &port->xon[priority];
    case kSizeReserve:
      return &port->pools[priority].reserve;
    case kSizeHeadroom:
      break;
  }
  return &port->pools[priority].headroom;
}

static bool SetSize(struct Switch* of, int number, enum Size size, const char* value) {
  struct Port* port = &of->ports[number];
  uint32_t values[kPriorities];
  uint64_t named;
  for (int i = 0; i < kPriorities; i++) values[i] = *SizeAt(port, size, i) / kKilobyte;
  if (!ReadPairs(value, kPriorities, size == kSizeXoff ? 1 : 0, kMostKilobytes, NULL, values, &named))
    return false;
  for (int i = 0; i < kPriorities; i++) *SizeAt(port, size, i) = values[i] * kKilobyte;
  SwitchSetLossless(of, number, port->lossless);  // judges anew who is to stop
  return true;
}

static void ShowSize(const struct Switch* of, int number, enum Size size, struct Text* to) {
  struct Port port = of->ports[number];
  uint32_t values[kPriorities];
  for (int i = 0; i < kPriorities; i++) values[i] = *SizeAt(&port, size, i) / kKilobyte;
  ShowPairs(to, values, kPriorities);
}

#define SIZE_KNOB(name)                                                                    \
  static bool Set##name(struct Switch* of, int port, const char* value, uint64_t now_ns) { \
    (void)now_ns;                                                                          \
    return SetSize(of, port, kSize##name, value);                                          \
  }                                                                                        \
  static void Show##name(const struct Switch* of, int port, struct Text* to) {             \
    ShowSize(of, port, kSize##name, to);                                                   \
  }
SIZE_KNOB(Queue)
SIZE_KNOB(Ecn)
SIZE_KNOB(Xoff)
SIZE_KNOB(Xon)
SIZE_KNOB(Reserve)
SIZE_KNOB(Headroom)

// --- the whole switch

static bool SetShared(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)port, (void)now_ns;
  uint32_t kilobytes;
  if (!ReadNumber(value, 0, kMostKilobytes, &kilobytes)) return false;
  of->shared.limit = kilobytes * kKilobyte;
  return true;
}

static void ShowShared(const struct Switch* of, int port, struct Text* to) {
  (void)port;
  TextAdd(to, "%u", of->shared.limit / kKilobyte);
}

static bool SetMostFrame(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)port, (void)now_ns;
  return ReadNumber(value, kLeastFrame, kMostFrame, &of->most_frame_bytes);
}

static void ShowMostFrame(const struct Switch* of, int port, struct Text* to) {
  (void)port;
  TextAdd(to, "%u", of->most_frame_bytes);
}

static bool SetLinkLocal(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)port, (void)now_ns;
  bool floods = strcmp(value, "flood") == 0;
  if (!floods && strcmp(value, "consume") != 0) return false;
  of->floods_link_local = floods;
  return true;
}

static void ShowLinkLocal(const struct Switch* of, int port, struct Text* to) {
  (void)port;
  TextAdd(to, of->floods_link_local ? "flood" : "consume");
}

static bool SetCable(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)port, (void)now_ns;
  bool is_cable = strcmp(value, "on") == 0;
  if (!is_cable && strcmp(value, "off") != 0) return false;
  of->is_cable = is_cable;
  return true;
}

static void ShowCable(const struct Switch* of, int port, struct Text* to) {
  (void)port;
  TextAdd(to, of->is_cable ? "on" : "off");
}

static bool SetAgeing(struct Switch* of, int port, const char* value, uint64_t now_ns) {
  (void)port, (void)now_ns;
  uint32_t seconds;
  if (!ReadNumber(value, 0, kMostAgeingS, &seconds)) return false;
  of->macs.ageing_ns = seconds * kSecondNs;
  return true;
}

static void ShowAgeing(const struct Switch* of, int port, struct Text* to) {
  (void)port;
  TextAdd(to, "%u", (uint32_t)(of->macs.ageing_ns / kSecondNs));
}

// --- by name

static const struct Knob kPortKnobs[] = {
    {"rate_mbps", SetRate, ShowRate},
    {"trust", SetTrust, ShowTrust},
    {"priority", SetPriority, ShowPriority},
    {"pcp", SetPcp, ShowPcp},
    {"dscp", SetDscp, ShowDscp},
    {"remark", SetRemark, ShowRemark},
    {"remark_of", SetRemarkOf, ShowRemarkOf},
    {"class", SetClass, ShowClass},
    {"ets", SetPortEts, ShowPortEts},
    {"pfc", SetPfc, ShowPfc},
    {"xoff_kb", SetXoff, ShowXoff},
    {"xon_kb", SetXon, ShowXon},
    {"headroom_kb", SetHeadroom, ShowHeadroom},
    {"reserve_kb", SetReserve, ShowReserve},
    {"queue_kb", SetQueue, ShowQueue},
    {"ecn_kb", SetEcn, ShowEcn},
    {"cut", SetCut, ShowCut},
};
static const struct Knob kSwitchKnobs[] = {
    {"shared_kb", SetShared, ShowShared},
    {"most_frame", SetMostFrame, ShowMostFrame},
    {"link_local", SetLinkLocal, ShowLinkLocal},
    {"cable", SetCable, ShowCable},
    {"ageing_s", SetAgeing, ShowAgeing},
};
enum {
  kPortKnobCount = sizeof(kPortKnobs) / sizeof(*kPortKnobs),
  kSwitchKnobCount = sizeof(kSwitchKnobs) / sizeof(*kSwitchKnobs),
};

static const struct Knob* Find(const struct Knob* knobs, int count, const char* name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(knobs[i].name, name) == 0) return &knobs[i];
  }
  return NULL;
}

enum SettingResult SettingSet(struct Switch* of, int port, const char* name, const char* value,
                              uint64_t now_ns) {
  const struct Knob* knob = port < 0 ? Find(kSwitchKnobs, kSwitchKnobCount, name) : NULL;
  if (knob) return knob->set(of, 0, value, now_ns) ? kSettingDone : kSettingBadValue;
  knob = Find(kPortKnobs, kPortKnobCount, name);
  if (!knob) knob = Find(kLldpKnobs, kLldpKnobCount, name);
  if (!knob) return kSettingUnknown;
  int first = port < 0 ? 0 : port, last = port < 0 ? of->port_count - 1 : port;
  for (int i = first; i <= last; i++) {
    if (!knob->set(of, i, value, now_ns)) return kSettingBadValue;  // the same for each port, so none is set
  }
  return kSettingDone;
}

static void ShowKnobs(const struct Switch* of, int port, const struct Knob* knobs, int count, struct Text* to) {
  for (int i = 0; i < count; i++) {
    if (port < 0) {
      TextAdd(to, "set all %s ", knobs[i].name);
    } else {
      TextAdd(to, "set %d %s ", port + 1, knobs[i].name);
    }
    knobs[i].show(of, port < 0 ? 0 : port, to);
    TextAdd(to, "\n");
  }
}

void SettingsShow(const struct Switch* of, int port, struct Text* to) {
  if (port < 0) {
    ShowKnobs(of, port, kSwitchKnobs, kSwitchKnobCount, to);
    return;
  }
  ShowKnobs(of, port, kPortKnobs, kPortKnobCount, to);
  ShowKnobs(of, port, kLldpKnobs, kLldpKnobCount, to);
}
