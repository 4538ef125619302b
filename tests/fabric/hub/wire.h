// SPDX-License-Identifier: Apache-2.0
// The unix socket between a port of the switch and the QEMU of a guest ("-netdev stream"): a frame is its
// length (32 bits, big endian) and its bytes.
#ifndef FABRIC_HUB_WIRE_H_
#define FABRIC_HUB_WIRE_H_

#include <stddef.h>

#include "switch.h"

struct Wire {
  int fd;        // -1: no guest is connected
  bool is_full;  // the socket takes nothing more for now
  uint8_t* in;   // what came of a frame that is not whole yet
  size_t in_bytes;
  struct Frame *first, *last;  // left the switch, and are not all in the socket
  int frames;
  size_t sent_bytes;  // of the first
};

void WireOpen(struct Wire* wire, int fd);
void WireClose(struct Wire* wire);
// Both return false when the connection is over. Frames of the guest go into the switch.
bool WireReceive(struct Wire* wire, struct Switch* into, int port, uint64_t now_ns);
// Frames for the guest go into the socket, as far as that takes them.
bool WireSend(struct Wire* wire, struct Switch* from, int port, uint64_t now_ns);

#endif
