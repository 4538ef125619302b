// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <stdlib.h>
#include <string.h>

enum {
  kTagBytes = 4,
  kMostTags = 2,
  kTypeIpv4 = 0x0800,
  kTypeIpv6 = 0x86dd,
  kTypeTag = 0x8100,
  kTypeServiceTag = 0x88a8,
  kIpv4Bytes = 20,
  kIpv6Bytes = 40,
};

struct Frame* FrameNew(const uint8_t* data, uint32_t bytes) {
  struct Frame* frame = malloc(sizeof(*frame) + kRecordHead + bytes);
  if (!frame) return NULL;
  uint8_t* record = (uint8_t*)(frame + 1);
  *frame = (struct Frame){.bytes = bytes, .record = record, .data = record + kRecordHead};
  for (int i = 0; i < kRecordHead; i++) record[i] = (uint8_t)(bytes >> (24 - 8 * i));
  if (bytes) memcpy(frame->data, data, bytes);
  return frame;
}

void FrameFree(struct Frame* frame) { free(frame); }

static uint16_t Read16(const uint8_t* at) { return (uint16_t)(at[0] << 8 | at[1]); }

// `at` has `left` bytes. False where the header contradicts itself or promises more than there is.
static bool ReadIpv4(const uint8_t* at, uint32_t left, struct Headers* headers) {
  if (left < kIpv4Bytes || at[0] >> 4 != 4) return false;
  uint32_t header_bytes = (at[0] & 0xfU) * 4, total_bytes = Read16(at + 2);
  if (header_bytes < kIpv4Bytes || header_bytes > total_bytes || total_bytes > left) return false;
  headers->ip = kIpv4;
  headers->dscp = (uint8_t)(at[1] >> 2);
  headers->ecn = at[1] & 3;
  return true;
}

static bool ReadIpv6(const uint8_t* at, uint32_t left, struct Headers* headers) {
  if (left < kIpv6Bytes || at[0] >> 4 != 6) return false;
  if ((uint32_t)kIpv6Bytes + Read16(at + 4) > left) return false;
  uint8_t traffic_class = (uint8_t)(at[0] << 4 | at[1] >> 4);
  headers->ip = kIpv6;
  headers->dscp = traffic_class >> 2;
  headers->ecn = traffic_class & 3;
  return true;
}

struct Headers ReadHeaders(const uint8_t* data, uint32_t bytes) {
  struct Headers headers = {.offset = kEthernetBytes};
  if (bytes < kEthernetBytes) {
    headers.cut = true;
    return headers;
  }
  headers.type = Read16(data + 2 * kMacBytes);
  while (headers.tags < kMostTags && (headers.type == kTypeTag || headers.type == kTypeServiceTag)) {
    if (bytes - headers.offset < kTagBytes) {
      headers.cut = true;
      return headers;
    }
    const uint8_t* tag = data + headers.offset;
    if (headers.tags++ == 0) headers.pcp = tag[0] >> 5;
    headers.type = Read16(tag + 2);
    headers.offset += kTagBytes;
  }
  const uint8_t* at = data + headers.offset;
  uint32_t left = bytes - headers.offset;
  if (headers.type == kTypeIpv4) headers.bad_ip = !ReadIpv4(at, left, &headers);
  if (headers.type == kTypeIpv6) headers.bad_ip = !ReadIpv6(at, left, &headers);
  return headers;
}

bool IsLinkLocal(const uint8_t* data) {
  static const uint8_t kPrefix[kMacBytes - 1] = {0x01, 0x80, 0xc2, 0, 0};
  return memcmp(data, kPrefix, sizeof(kPrefix)) == 0 && data[kMacBytes - 1] < 0x10;
}
