// SPDX-License-Identifier: Apache-2.0
// The type of service (DSCP and ECN) in the IP header of a frame.
#ifndef FABRIC_HUB_IP_H_
#define FABRIC_HUB_IP_H_

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

// Both for a frame with IP, whose headers these are.
uint8_t IpTos(const struct Frame* frame, const struct Headers* headers);
// Keeps the checksum of IPv4 right.
void IpSetTos(struct Frame* frame, const struct Headers* headers, uint8_t tos);

#ifdef __cplusplus
}
#endif
#endif
