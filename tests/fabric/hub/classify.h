// SPDX-License-Identifier: Apache-2.0
// The priority of a frame that comes in, by what its port trusts.
#ifndef FABRIC_HUB_CLASSIFY_H_
#define FABRIC_HUB_CLASSIFY_H_

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { kPriorities = 8, kDscps = 64 };

enum Trust {
  kTrustPort,  // nothing: all frames have the port's priority
  kTrustPcp,   // the outer VLAN tag; without one, the port's priority
  kTrustDscp,  // IP; without it, the port's priority
};

struct Classifier {
  enum Trust trust;
  uint8_t port_priority;
  uint8_t of_pcp[kPriorities];
  uint8_t of_dscp[kDscps];
};

// Trusts DSCP, where priority P has the DSCPs 8P to 8P+7. The port's priority is 0.
void ClassifierReset(struct Classifier* classifier);
uint8_t Classify(const struct Classifier* classifier, const struct Headers* headers);

#ifdef __cplusplus
}
#endif
#endif
