// SPDX-License-Identifier: Apache-2.0
// Applier: the engine of the process that changes settings. What it promises: after a change a host is as it
// was before it, or as it was confirmed to be, whatever is killed or cut meanwhile, and never in between
// without saying so.
//
// How: a journal has a snapshot and every write before the host has it; a timer takes back what nobody
// confirms; Recover() takes back what an earlier life left open. See journal.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/configurer.h"
#include "agent/apply/foreign.h"
#include "agent/apply/host_writer.h"
#include "agent/apply/permission.h"
#include "agent/apply/setting_values.h"
#include "api/base/clock.h"
#include "api/model/change.h"
#include "api/model/facts.h"
#include "api/model/plan.h"

namespace rdmaready {

namespace apply {
class Disk;
}

// What the engine needs of its surroundings. Called by one thread at a time, unless said otherwise (`read` and
// `plan` also while another one calls the others); pointers outlive the engine.
struct ApplierSeams {
  // A fresh reading of the whole host. May take seconds.
  std::function<Facts()> read{};
  // Every setting that the reading tells: SettingsOf (checks/setting/table.h).
  std::function<std::vector<Setting>(const Facts&)> settings{};
  // Some settings now, one entry each: ReadSettings (real/setting_reader.h). Empty: `read` and `settings` are
  // asked.
  std::function<SettingValues(const std::vector<SettingObject>&)> read_some{};
  // A number that stays while the device which has the setting lives, and is another one after it was made anew
  // (DeviceOf in device.h). kNotFound: there is no such device now. Any other error: not known.
  std::function<absl::StatusOr<std::uint64_t>(const SettingObject&)> device{};
  // The netdevs at the bottom of one (NetdevsBelow in device.h). Empty: a listed port opens all that is planned
  // for it.
  BelowNetdev below{};
  // Which hardware has the setting (IdentityOf in device.h); empty: not known, and then it is believed to be
  // the one that had its name before.
  std::function<std::string(const SettingObject&)> identity{};
  // The digest of each profile's content, before anything is read; empty: the plan has them.
  std::function<absl::StatusOr<std::vector<ProfileRef>>(const ApplyOrder&)> profiles{};
  // The applier's own plan, with the digest of each profile's content in Plan::profiles.
  std::function<absl::StatusOr<Plan>(const Facts&, const ApplyOrder&)> plan{};
  // apply.yaml as it is now. Error: nothing is allowed, and the words say why. Any thread.
  std::function<absl::StatusOr<Permission>()> permission{};
  HostWriter* writer = nullptr;
  ForeignWatch* foreign = nullptr;  // null: nobody listens
  Clock* clock = nullptr;           // monotonic, also through a suspension
  std::function<std::int64_t()> unix_now_ns{};
  std::function<std::string()> make_id{};            // 32 hexadecimal digits at random (MakeInstanceId)
  std::function<void(std::string_view line)> log{};  // any thread; a line for the operator
};

struct ApplierOptions {
  std::string state_dir{};      // of this user, and nobody else may write it; see journal.h, audit.h, kept.h
  std::string boot_id{};        // /proc/sys/kernel/random/boot_id
  apply::Disk* disk = nullptr;  // null: the machine's; outlives the engine
  std::uint64_t segment_bytes = std::uint64_t{1} << 20U;  // of journal and audit, until they are sealed
  std::string root = "/";                                 // below which files for the next boot are written
};

// Why settings that are kept are looked at.
enum class RestoreCause : std::uint8_t {
  kStart,           // the process or the host was started
  kDeviceAppeared,  // a device was made anew
  kPutBack,         // somebody changed one: allowed by Permission::put_back_most_per_hour only
};

// Any thread, but Recover() before any other.
class Applier final : public Configurer {
 public:
  Applier(ApplierSeams seams, ApplierOptions options);
  // Ends the timer. Nothing is taken back: the journal is open for the next life.
  ~Applier() override;

  // Opens the state, takes back what is open there, and restores what is kept. Before anything is served; once.
  // kFailedPrecondition: the state directory is not this user's alone; any other error: it cannot be read just
  // now (another applier has it: kUnavailable), and another life may find it otherwise. Then nothing may be
  // served. Damage is no error here: every Apply is refused for it, and Status() says so.
  absl::Status Recover();

  // The process must not leave: a change is armed, something is being written, or a device that is away still
  // has to get something back. The same while the end of a change is not in the journal yet.
  bool Busy() const;

  // Writes kept settings that differ. kStart and kDeviceAppeared: only of devices that were made anew, or whose
  // kernel was, since they were last seen as they are kept: a change by hand is not overruled by that. A
  // value that a file of the boot sets is overruled, once for each life of the device (boot_files.h).
  // kPutBack: every one that differs. What apply.yaml does not allow any more is left, and told in Status().
  // Returns what was written. kFailedPrecondition: a change is open (the restore is made up for when it ends),
  // or the journal is damaged; kPermissionDenied: putting back is not allowed; kResourceExhausted: it was done
  // as often as is allowed within an hour.
  absl::StatusOr<std::vector<Setting>> Restore(RestoreCause cause);

  absl::StatusOr<Change> Apply(const ApplyOrder& order, const std::function<void(const Change&)>& progress,
                               const std::stop_token& stop) override;
  absl::StatusOr<OrderFiles> FilesOf(const FilesOrder& order, const std::stop_token& stop) override;
  absl::StatusOr<Change> Proved(const std::string& change_id, const ChangeProof& proof) override;
  absl::StatusOr<Change> Confirm(const std::string& change_id, const std::string& requester) override;
  absl::StatusOr<Change> RollBack(const std::string& change_id, const std::string& requester) override;
  absl::StatusOr<Change> RollBackForRoot(const std::string& change_id, const std::string& requester) override;
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects,
                                              const std::string& requester) override;
  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                    const std::string& requester) override;
  absl::StatusOr<ApplierStatus> Status() override;
  absl::StatusOr<std::vector<OwnWrite>> OwnWrites() override;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace rdmaready
