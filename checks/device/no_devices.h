// SPDX-License-Identifier: Apache-2.0
// A host without any RDMA device: how far the stack got, and what a person does.
#pragma once

#include "api/model/facts.h"
#include "checks/words/verdict.h"

namespace rdmaready {

Verdict NoDevices(const Facts& host);

}  // namespace rdmaready
