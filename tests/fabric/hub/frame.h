// SPDX-License-Identifier: Apache-2.0
// Ethernet frames: their memory, and what a switch reads of their headers.
#ifndef FABRIC_HUB_FRAME_H_
#define FABRIC_HUB_FRAME_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kMacBytes = 6,
  kEthernetBytes = 14,       // addresses and type
  kMostRecordBytes = 65536,  // of a frame on a guest's socket
  kRecordHead = 4,
};

// A frame that the switch holds. `record` is the frame as a guest's socket carries it: its length (32 bits, big
// endian), then `data`.
struct Frame {
  struct Frame* next;
  uint32_t bytes;  // of data
  uint8_t in_port, priority;
  uint8_t* record;
  uint8_t* data;
};

// A copy of these bytes; NULL without memory.
struct Frame* FrameNew(const uint8_t* data, uint32_t bytes);
void FrameFree(struct Frame* frame);

enum IpVersion { kNotIp = 0, kIpv4 = 4, kIpv6 = 6 };

// The headers of a frame. A tag that ends behind the frame makes it `cut`.
struct Headers {
  bool cut;         // shorter than its Ethernet header and tags
  bool bad_ip;      // its type says IP, and its header contradicts itself or the frame
  uint8_t tags;     // VLAN tags that were read, at most two
  uint8_t pcp;      // of the outer tag
  uint16_t type;    // behind the tags
  uint32_t offset;  // of what is behind the type
  enum IpVersion ip;
  uint8_t dscp, ecn;  // of IP
};

struct Headers ReadHeaders(const uint8_t* data, uint32_t bytes);

// 01:80:c2:00:00:00 to 0f: the addresses that a bridge does not forward (802.1Q table 8-1).
bool IsLinkLocal(const uint8_t* data);

#ifdef __cplusplus
}
#endif
#endif
