// SPDX-License-Identifier: Apache-2.0
#include "lldp.h"

#include <stdio.h>
#include <string.h>

enum {
  kEnd = 0,
  kChassis = 1,
  kPort = 2,
  kTtl = 3,
  kSystemName = 5,
  kOrganization = 127,
  kOui8021 = 0x0080c2,
  kOui8023 = 0x00120f,
  kFrameSize = 4,  // of 802.3
  kEts = 9,        // of 802.1
  kEtsRecommended = 10,
  kPfc = 11,
  kApp = 12,
  kByMac = 4,   // subtype of the chassis
  kByName = 5,  // subtype of the port
  kTsaEts = 2,  // 0: strict
  kSelectorDscp = 5,
  kMostTtlS = 0xffff,
};

// A frame that grows. The sum of all TLVs is below kMostLldpBytes.
struct Writer {
  uint8_t* frame;
  uint32_t bytes;
};

static void Byte(struct Writer* to, uint32_t value) { to->frame[to->bytes++] = (uint8_t)value; }

static void Word(struct Writer* to, uint32_t value) {
  Byte(to, value >> 8);
  Byte(to, value);
}

static void Bytes(struct Writer* to, const void* bytes, size_t count) {
  memcpy(to->frame + to->bytes, bytes, count);
  to->bytes += (uint32_t)count;
}

static void Head(struct Writer* to, uint32_t type, size_t bytes) { Word(to, type << 9 | (uint32_t)bytes); }

static void OrganizationHead(struct Writer* to, uint32_t oui, uint32_t subtype, size_t bytes) {
  Head(to, kOrganization, 4 + bytes);
  Byte(to, oui >> 16);
  Word(to, oui);
  Byte(to, subtype);
}

static void Ets(struct Writer* to, uint32_t subtype, const struct Announced* say) {
  OrganizationHead(to, kOui8021, subtype, 1 + 4 + 8 + 8);
  Byte(to, 0);  // not willing; eight classes
  for (int i = 0; i < kPriorities; i += 2) Byte(to, (uint32_t)say->class_of[i] << 4 | say->class_of[i + 1]);
  for (int i = 0; i < kPriorities; i++) Byte(to, say->strict[i] ? 0 : say->share[i]);
  for (int i = 0; i < kPriorities; i++) Byte(to, say->strict[i] ? 0 : kTsaEts);
}

static void Pfc(struct Writer* to, const struct Announced* say) {
  OrganizationHead(to, kOui8021, kPfc, 2);
  Byte(to, kPriorities);  // not willing; so many can be lossless
  Byte(to, say->lossless);
}

static void App(struct Writer* to, const struct Announced* say) {
  if (say->apps == 0) return;
  OrganizationHead(to, kOui8021, kApp, 1 + 3U * say->apps);
  Byte(to, 0);
  for (int i = 0; i < say->apps; i++) {
    Byte(to, (uint32_t)say->app_priority[i] << 5 | kSelectorDscp);
    Word(to, say->app_dscp[i]);
  }
}

struct Announced AnnouncedTruth(const struct Classifier* classifier, const struct Scheduler* scheduler,
                                uint8_t lossless) {
  struct Announced truth = {.lossless = lossless};
  memcpy(truth.class_of, scheduler->class_of, sizeof(truth.class_of));
  memcpy(truth.share, scheduler->share, sizeof(truth.share));
  memcpy(truth.strict, scheduler->strict, sizeof(truth.strict));
  if (classifier->trust != kTrustDscp) return truth;
  for (int dscp = 0; dscp < kDscps && truth.apps < kMostApps; dscp++) {
    uint8_t priority = classifier->of_dscp[dscp];
    if (!(lossless >> priority & 1)) continue;
    truth.app_dscp[truth.apps] = (uint8_t)dscp;
    truth.app_priority[truth.apps++] = priority;
  }
  return truth;
}

uint32_t LldpWrite(const struct Lldp* lldp, const struct Announced* truth, const uint8_t* chassis,
                   const uint8_t* source, int port, uint32_t most_frame_bytes, uint8_t frame[kMostLldpBytes]) {
  static const uint8_t kNearestBridge[kMacBytes] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
  struct Writer to = {.frame = frame};
  char name[8];
  size_t name_bytes = (size_t)snprintf(name, sizeof(name), "p%d", port + 1);
  uint32_t ttl_s = (lldp->every_ms * 4 + 999) / 1000;

  Bytes(&to, kNearestBridge, kMacBytes);
  Bytes(&to, source, kMacBytes);
  Word(&to, 0x88cc);
  Head(&to, kChassis, 1 + kMacBytes);
  Byte(&to, kByMac);
  Bytes(&to, chassis, kMacBytes);
  Head(&to, kPort, 1 + name_bytes);
  Byte(&to, kByName);
  Bytes(&to, name, name_bytes);
  Head(&to, kTtl, 2);
  Word(&to, ttl_s < kMostTtlS ? ttl_s : kMostTtlS);
  Head(&to, kSystemName, 6);
  Bytes(&to, "switch", 6);
  Ets(&to, kEts, lldp->false_ets ? &lldp->instead : truth);
  Ets(&to, kEtsRecommended, lldp->false_ets ? &lldp->instead : truth);
  Pfc(&to, lldp->false_pfc ? &lldp->instead : truth);
  App(&to, lldp->false_app ? &lldp->instead : truth);
  OrganizationHead(&to, kOui8023, kFrameSize, 2);
  Word(&to, most_frame_bytes);
  Head(&to, kEnd, 0);
  return to.bytes;
}
