// SPDX-License-Identifier: Apache-2.0
#include "classify.h"

void ClassifierReset(struct Classifier* classifier) {
  *classifier = (struct Classifier){.trust = kTrustDscp};
  for (int i = 0; i < kPriorities; i++) classifier->of_pcp[i] = (uint8_t)i;
  for (int i = 0; i < kDscps; i++) classifier->of_dscp[i] = (uint8_t)(i * kPriorities / kDscps);
}

uint8_t Classify(const struct Classifier* classifier, const struct Headers* headers) {
  if (classifier->trust == kTrustPcp && headers->tags > 0) return classifier->of_pcp[headers->pcp];
  if (classifier->trust == kTrustDscp && headers->ip != kNotIp) return classifier->of_dscp[headers->dscp];
  return classifier->port_priority;
}
