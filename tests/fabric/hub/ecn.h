// SPDX-License-Identifier: Apache-2.0
// Explicit congestion notification: the mark in an IP header (RFC 3168).
#ifndef FABRIC_HUB_ECN_H_
#define FABRIC_HUB_ECN_H_

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

// Marks a frame "congestion experienced" and keeps the checksum of IPv4 right. False where it is not of a
// transport that understands that (ECT), or is marked already.
bool EcnMark(struct Frame* frame, const struct Headers* headers);

#ifdef __cplusplus
}
#endif
#endif
