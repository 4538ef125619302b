// SPDX-License-Identifier: Apache-2.0
#include "api/convert/facts.h"

#include "api/convert/message.h"

namespace rdmaready {

v1::Facts ToProto(const Facts& facts) { return convert::Written<v1::Facts>(facts); }
Facts FromProto(const v1::Facts& message) { return convert::ReadOrDefault<Facts>(message); }

}  // namespace rdmaready
