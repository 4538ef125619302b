// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/cm_write.h"

#include "agent/apply/real/file_write.h"
#include "api/base/number.h"
#include "checks/setting/table.h"
#include "collectors/real/rdma_cm.h"

namespace rdmaready {

absl::Status WriteCmDefault(const std::string& root, const SettingObject& object, std::string_view to) {
  const SettingFile& file = RowOf(object.kind).file;
  const std::string what = "set RDMA-CM's default " + std::string(file.words) + " of " + object.where;
  const std::size_t slash = object.where.find('/');
  if (slash == std::string::npos || !ParseNumber<std::uint32_t>(object.where.substr(slash + 1)))
    return absl::InvalidArgumentError(what + ": not DEVICE/PORT");
  const std::string device = object.where.substr(0, slash);
  return InRdmaCmDirectory(root, device, [&](const std::string& directory) {
    return WriteKernelFile(directory, {"ports", object.where.substr(slash + 1), std::string(file.name)},
                           std::string(to) + "\n", what);
  });
}

}  // namespace rdmaready
