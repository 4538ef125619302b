// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/dcb_write.h"

#include <linux/dcbnl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <vector>

#include "agent/apply/real/app_rows.h"
#include "agent/apply/real/dcb_messages.h"
#include "api/base/status.h"
#include "collectors/nic/ethtool.h"

namespace rdmaready {
namespace {

AppOrder OrderOf(const Fact<DriverInfo>& driver) {
  if (driver && driver->driver == "bnxt_en") return AppOrder::kOldFirst;
  return driver && driver->driver == "hns3" ? AppOrder::kReplaces : AppOrder::kNewFirst;
}

class DcbOfNetdev {
 public:
  DcbOfNetdev(HostReader& host, KernelDoor& door, const std::string& netdev)
      : host_(host), door_(door), netdev_(netdev) {}

  absl::Status Write(SettingKind kind, std::string_view from, std::string_view to) {
    switch (kind) {
      case SettingKind::kDcbx:
        return SetDcbx(*DcbxOf(to));
      case SettingKind::kEts:
        return SetEts(*EtsSettingOf(to));
      case SettingKind::kPfc:
        return SetPfc(*PfcSettingOf(to));
      case SettingKind::kBuffer:
        return SetBuffer(*BufferSettingOf(to));
      case SettingKind::kMaxRate:
        return SetMaxRate(*MaxRatesOf(to));
      case SettingKind::kApp:
        return SetApp(*AppRowsOf(from), *AppRowsOf(to));
      case SettingKind::kTrust:
        return Set(TrustAttribute(*TrustOrderOf(to)), "APP trust order");
      default:
        break;
    }
    return absl::InvalidArgumentError("no setting of dcbnl");
  }

 private:
  std::string Reading(std::string_view what) const { return "read " + std::string(what) + " of " + netdev_; }
  std::string Setting(std::string_view what) const { return "set " + std::string(what) + " on " + netdev_; }

  // The errno that the driver answered with, 0 for none; an error when there is no whole answer, or it is of
  // the kernel before the driver was asked.
  absl::StatusOr<int> Ask(const NetlinkRequest& request, const std::string& what) {
    RR_ASSIGN_OR_RETURN(const NetlinkAnswer answer, door_.Send(request, what));
    RR_RETURN_IF_ERROR(StatusOf(answer, what));
    RR_ASSIGN_OR_RETURN(const std::int8_t octet, OctetIn(answer.messages, DCB_ATTR_IEEE, what));
    return octet < 0 ? -octet : 0;
  }

  absl::Status Set(const Payload& attribute, std::string_view what) {
    RR_ASSIGN_OR_RETURN(const int error, Ask(SetIeee(netdev_, attribute), Setting(what)));
    return error == 0 ? absl::OkStatus() : ErrnoStatus(error, Setting(what));
  }

  absl::Status SetEts(const EtsSetting& to) {
    RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, host_.Netlink(GetIeee(netdev_)));
    RR_ASSIGN_OR_RETURN(const ieee_ets now, EtsIn(answer, Reading("ETS")));
    return Set(EtsAttribute(Changed(now, to)), "ETS");
  }

  absl::Status SetPfc(const PfcSetting& to) {
    RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, host_.Netlink(GetIeee(netdev_)));
    RR_ASSIGN_OR_RETURN(const ieee_pfc now, PfcIn(answer, Reading("PFC")));
    return Set(PfcAttribute(Changed(now, to)), "PFC");
  }

  absl::Status SetBuffer(const BufferSetting& to) {
    RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, host_.Netlink(GetIeee(netdev_)));
    RR_ASSIGN_OR_RETURN(const dcbnl_buffer now, BufferIn(answer, Reading("the buffer")));
    const dcbnl_buffer wanted = Changed(now, to);
    const std::string what = Setting("the buffer");
    RR_ASSIGN_OR_RETURN(const int error, Ask(SetIeee(netdev_, BufferAttribute(wanted)), what));
    if (error == 0) return absl::OkStatus();
    if (error != ENOMEM) return ErrnoStatus(error, what);
    // mlx5 checks a new map with the old sizes: what it refuses together, it takes one after the other. The way
    // there begins with the sizes, the way back with the map.
    dcbnl_buffer sizes = now;
    dcbnl_buffer map = now;
    std::ranges::copy(wanted.buffer_size, std::begin(sizes.buffer_size));
    std::ranges::copy(wanted.prio2buffer, std::begin(map.prio2buffer));
    for (const dcbnl_buffer& first : {sizes, map}) {
      if (Set(BufferAttribute(first), "the buffer").ok()) return Set(BufferAttribute(wanted), "the buffer");
    }
    return ErrnoStatus(error, what);
  }

  absl::Status SetMaxRate(const MaxRatesKbps& to) {
    RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, host_.Netlink(GetIeee(netdev_)));
    RR_RETURN_IF_ERROR(MaxRateIn(answer, Reading("maximum rates")).status());
    return Set(MaxRateAttribute(to), "maximum rates");
  }

  absl::Status SetApp(const std::vector<AppEntry>& from, const std::vector<AppEntry>& to) {
    const Fact<DriverInfo> driver = ReadDriverInfo(host_, netdev_);
    return ChangeAppRows(from, to, OrderOf(driver), netdev_,
                         [&](AppChange change, const AppEntry& row) -> absl::StatusOr<int> {
                           const bool add = change == AppChange::kAdd;
                           const Payload table = AppAttribute(row);
                           return Ask(add ? SetIeee(netdev_, table) : DeleteIeee(netdev_, table),
                                      std::string(add ? "add" : "delete") + " an APP row on " + netdev_);
                         });
  }

  // A driver says "refused" and not why: ice says it of the mode that it has already.
  absl::Status SetDcbx(const Dcbx& to) {
    const std::uint8_t mode = ModeOf(to);
    RR_ASSIGN_OR_RETURN(bool done, TryMode(mode));
    if (!done) {
      RR_ASSIGN_OR_RETURN(done, HasMode(mode));
    }
    if (!done && !to.host && !to.lld_managed) {
      RR_ASSIGN_OR_RETURN(done, LeaveToFirmware(mode));
    }
    if (done) return absl::OkStatus();
    return absl::FailedPreconditionError(Setting("the DCBX mode") + ": refused by the driver");
  }

  // mlx5 takes no mode without the host, but 0, at which its firmware runs DCBX in the dialects that the host
  // had.
  absl::StatusOr<bool> LeaveToFirmware(std::uint8_t mode) {
    RR_ASSIGN_OR_RETURN(bool done, TryMode(0));
    if (!done) return false;
    RR_ASSIGN_OR_RETURN(done, HasMode(mode));
    if (done) return true;
    RR_ASSIGN_OR_RETURN(done, TryMode(static_cast<std::uint8_t>(mode | DCB_CAP_DCBX_HOST)));
    if (!done) return false;
    return TryMode(0);
  }

  absl::StatusOr<bool> TryMode(std::uint8_t mode) {
    const std::string what = Setting("the DCBX mode");
    RR_ASSIGN_OR_RETURN(const NetlinkAnswer answer, door_.Send(SetDcbxMode(netdev_, mode), what));
    RR_RETURN_IF_ERROR(StatusOf(answer, what));
    RR_ASSIGN_OR_RETURN(const std::int8_t octet, OctetIn(answer.messages, DCB_ATTR_DCBX, what));
    return octet == 0;
  }

  absl::StatusOr<bool> HasMode(std::uint8_t mode) {
    RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, host_.Netlink(GetDcbxMode(netdev_)));
    RR_ASSIGN_OR_RETURN(const std::uint8_t has, ModeIn(answer, Reading("the DCBX mode")));
    return has == mode;
  }

  HostReader& host_;
  KernelDoor& door_;
  const std::string& netdev_;
};

}  // namespace

absl::Status WriteDcb(HostReader& host, KernelDoor& door, const SettingObject& object, std::string_view from,
                      std::string_view to) {
  return WithNetdev(door, object.where, [&](std::uint32_t) {
    return DcbOfNetdev(host, door, object.where).Write(object.kind, from, to);
  });
}

}  // namespace rdmaready
