// SPDX-License-Identifier: Apache-2.0
#include "ecn.h"

enum { kNotEct = 0, kCe = 3, kChecksumAt = 10 };

// RFC 1624, equation 3, for one 16-bit word of the header that changes.
static void UpdateChecksum(uint8_t* header, uint16_t before, uint16_t after) {
  uint16_t checksum = (uint16_t)(header[kChecksumAt] << 8 | header[kChecksumAt + 1]);
  uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~before + after;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  checksum = (uint16_t)~sum;
  header[kChecksumAt] = (uint8_t)(checksum >> 8);
  header[kChecksumAt + 1] = (uint8_t)checksum;
}

bool EcnMark(struct Frame* frame, const struct Headers* headers) {
  if (headers->ip == kNotIp || headers->ecn == kNotEct || headers->ecn == kCe) return false;
  uint8_t* header = frame->data + headers->offset;
  if (headers->ip == kIpv6) {
    header[1] |= kCe << 4;
    return true;
  }
  uint16_t before = (uint16_t)(header[0] << 8 | header[1]);
  header[1] |= kCe;
  UpdateChecksum(header, before, (uint16_t)(header[0] << 8 | header[1]));
  return true;
}
