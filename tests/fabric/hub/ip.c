// SPDX-License-Identifier: Apache-2.0
#include "ip.h"

enum { kChecksumAt = 10 };

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

uint8_t IpTos(const struct Frame* frame, const struct Headers* headers) {
  const uint8_t* header = frame->data + headers->offset;
  if (headers->ip == kIpv6) return (uint8_t)(header[0] << 4 | header[1] >> 4);
  return header[1];
}

void IpSetTos(struct Frame* frame, const struct Headers* headers, uint8_t tos) {
  uint8_t* header = frame->data + headers->offset;
  if (headers->ip == kIpv6) {
    header[0] = (uint8_t)((header[0] & 0xf0) | tos >> 4);
    header[1] = (uint8_t)((header[1] & 0x0f) | tos << 4);
    return;
  }
  uint16_t before = (uint16_t)(header[0] << 8 | header[1]);
  header[1] = tos;
  UpdateChecksum(header, before, (uint16_t)(header[0] << 8 | header[1]));
}
