// SPDX-License-Identifier: Apache-2.0
#include "ecn.h"

#include "ip.h"

enum { kNotEct = 0, kCe = 3 };

bool EcnMark(struct Frame* frame, const struct Headers* headers) {
  if (headers->ip == kNotIp || headers->ecn == kNotEct || headers->ecn == kCe) return false;
  IpSetTos(frame, headers, IpTos(frame, headers) | kCe);
  return true;
}
