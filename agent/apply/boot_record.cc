// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/boot_record.h"

#include "api/model/describe.h"

namespace rdmaready {

template <>
const TypeInfo& TypeOf<apply::PlannedFile>() {
  return describe::Described<apply::PlannedFile>::kType;
}

template <>
const TypeInfo& TypeOf<apply::KeptFile>() {
  return describe::Described<apply::KeptFile>::kType;
}

}  // namespace rdmaready
