// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/real_writer.h"

#include "agent/apply/real/cm_write.h"
#include "agent/apply/real/dcb_write.h"
#include "agent/apply/real/devlink_write.h"
#include "agent/apply/real/ethtool_write.h"
#include "agent/apply/real/kernel_door.h"
#include "agent/apply/real/link_write.h"
#include "agent/apply/real/sysctl_write.h"
#include "checks/setting/table.h"
#include "collectors/real/host.h"

namespace rdmaready {
namespace {

class RealHostWriter final : public HostWriter {
 public:
  absl::Status Write(const SettingObject& object, std::string_view from, std::string_view to,
                     const WillWrite& will_write) override {
    if (!IsCanonical(object.kind, from) || !IsCanonical(object.kind, to))
      return absl::InvalidArgumentError("set " + TextOf(object) + ": not a value of its kind");
    RealKernelDoor door(will_write, next_sequence_);
    switch (RowOf(object.kind).writer) {
      case SettingWriter::kDcbnl:
        return WriteDcb(host_, door, object, from, to);
      case SettingWriter::kEthtool:
        return WriteEthtool(host_, door, object, from, to);
      case SettingWriter::kRtnetlink:
        return WriteLink(door, object, from, to);
      case SettingWriter::kDevlink:
        return WriteDevlink(host_, door, object, to);
      case SettingWriter::kProcSys:
        return WriteSysctl("/proc/sys/net/ipv4/conf", object.name, to);
      case SettingWriter::kRdmaCm:
        return WriteCmDefault("/sys/kernel/config", object, to);
      case SettingWriter::kNone:
        break;
    }
    return absl::InvalidArgumentError("set a setting of no known kind");
  }

 private:
  RealHost host_{};
  std::uint32_t next_sequence_ = FirstSequence();
};

}  // namespace

std::unique_ptr<HostWriter> MakeHostWriter() { return std::make_unique<RealHostWriter>(); }

}  // namespace rdmaready
