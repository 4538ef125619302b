// SPDX-License-Identifier: Apache-2.0
// HostWriter: the only way in which rdmaready changes a setting of a host. One call, one setting.
//
// Whatever it answers is not believed: who writes reads back and compares.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/model/setting.h"

namespace rdmaready {

// By what the kernel's notices of a write can be known as ours: the port id of the socket, and the number of the
// request. A notice of dcbnl carries the number alone.
struct OwnWrite {
  std::uint32_t port_id = 0;
  std::uint32_t sequence = 0;

  bool operator==(const OwnWrite&) const = default;
  void Fields(auto& list) const { list("port_id", port_id, "sequence", sequence); }
};

// One thread at a time.
class HostWriter {
 public:
  virtual ~HostWriter() = default;

  // Sets the object to `to`; both values are canonical for its kind (kInvalidArgument otherwise). `from` is what
  // was read last: of a table only what differs is written (APP rows are added and deleted one by one). What of
  // the kernel's struct is no part of the value keeps what the kernel has now. `will_write` is called before each
  // request that goes to the kernel with the number that its notice will carry, so that it can be kept first; an
  // error of it ends the write with that error and nothing more is sent.
  //
  // Errors: the kernel's, as ErrnoStatus "set PFC on dcb0: Operation not supported"; a result that dcbnl sends in
  // the reply's octet is one, too.
  virtual absl::Status Write(const SettingObject& object, std::string_view from, std::string_view to,
                             const std::function<absl::Status(const OwnWrite&)>& will_write) = 0;
};

}  // namespace rdmaready
