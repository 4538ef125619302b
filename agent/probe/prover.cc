// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/prover.h"

#include "api/model/probe_walk.h"

namespace rdmaready {

std::vector<std::string_view> KernelSteps(Protocol protocol, bool inquire) {
  switch (protocol) {
    case Protocol::kUnknown:
    case Protocol::kIser:
      return {};
    case Protocol::kSmb:
      if (inquire) return {kStepShareInquire};
      return {kStepShareMount, kStepShareFiles};
    case Protocol::kNvme:
      return {kStepNvmeKernelConnect, kStepNvmeKernelRead, kStepNvmeKernelDisconnect};
    case Protocol::kNfs:
      return {kStepNfsMount, kStepNfsWrite, kStepNfsRead, kStepNfsUnmount};
  }
  return {};
}

}  // namespace rdmaready
