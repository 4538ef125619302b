// SPDX-License-Identifier: Apache-2.0
// What the vocabulary of facts has words for, and this version does not read from any host.
#pragma once

#include "api/model/facts.h"

namespace rdmaready {

// Says so in each such fact that nobody has filled: kUnsupported, with that reason.
void MarkUnread(Facts& facts);

}  // namespace rdmaready
