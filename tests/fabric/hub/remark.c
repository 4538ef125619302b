// SPDX-License-Identifier: Apache-2.0
#include "remark.h"

#include "ip.h"

enum {
  kUdp = 17,
  kUdpBytes = 8,
  kRocePort = 4791,
  kQueuePairAt = 5,  // in the base transport header: 24 bits
  kBthBytes = 12,
  kCmQueuePair = 1,
};

void RemarkReset(struct Remark* remark) {
  *remark = (struct Remark){.odd_queue_pairs = false};
  for (int i = 0; i < kDscps; i++) remark->to_dscp[i] = (uint8_t)i;
}

// The receiving queue pair of a RoCEv2 frame. False for other frames.
static bool QueuePairOf(const struct Frame* frame, const struct Headers* headers, uint32_t* number) {
  const uint8_t* header = frame->data + headers->offset;
  uint32_t left = frame->bytes - headers->offset;
  uint32_t ip_bytes = headers->ip == kIpv6 ? 40 : (header[0] & 0xfU) * 4;
  uint8_t protocol = headers->ip == kIpv6 ? header[6] : header[9];
  if (protocol != kUdp || left < ip_bytes + kUdpBytes + kBthBytes) return false;
  const uint8_t* udp = header + ip_bytes;
  if ((udp[2] << 8 | udp[3]) != kRocePort) return false;
  const uint8_t* pair = udp + kUdpBytes + kQueuePairAt;
  *number = (uint32_t)pair[0] << 16 | (uint32_t)pair[1] << 8 | pair[2];
  return true;
}

bool RemarkFrame(const struct Remark* remark, struct Frame* frame, const struct Headers* headers) {
  if (headers->ip == kNotIp || remark->to_dscp[headers->dscp] == headers->dscp) return false;
  uint32_t pair;
  if (remark->odd_queue_pairs &&
      (!QueuePairOf(frame, headers, &pair) || pair % 2 == 0 || pair == kCmQueuePair)) {
    return false;
  }
  IpSetTos(frame, headers, (uint8_t)(remark->to_dscp[headers->dscp] << 2 | headers->ecn));
  return true;
}
