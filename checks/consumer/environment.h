// SPDX-License-Identifier: Apache-2.0
// Environment: the values that a consumer of RDMA needs on this host, each with the fact that it was read from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/consumer/consumer.h"

namespace rdmaready {

struct EnvVariable {
  std::string name{};   // "NCCL_IB_HCA"
  std::string value{};  // "=mlx5_0:1": IsPlainValue
  std::string why{};    // may hold names of the host, in any characters

  bool operator==(const EnvVariable&) const = default;
};

struct PortLeftOut {
  std::string port{};  // as findings name it: "mlx5_0/1 ens1f0"
  std::string why{};

  bool operator==(const PortLeftOut&) const = default;
};

struct Environment {
  // kReady: one port at least is ready for the consumer. Only then there are variables.
  Readiness state = Readiness::kUndetermined;
  std::string reason{};  // unless kReady: why
  std::vector<EnvVariable> variables{};
  std::vector<std::string> notes{};  // what a reader has to know besides
  std::vector<PortLeftOut>
      left_out{};  // ports that the values do not name; spare ones and planes are not listed

  bool operator==(const Environment&) const = default;
};

struct EnvironmentQuestion {
  Consumer consumer = Consumer::kUnknown;
  std::vector<std::string> ports{};       // only these of the host, by name; empty: all
  std::vector<std::string> host_names{};  // of the host, for waivers
  std::int64_t now_unix_ns = 0;           // for waivers and certificates; 0: not known
  std::span<const Finding> judged{};      // by the host's agent: what is waived there is waived here
};

// Judges the host by the role and the mark that it has with these values. They go before those of files, so a
// wrong index in a file does not block. The state is kNotReady where a blocking check fails for the host or for
// each port. It is kUndetermined where that is not known, and where two ports need different values. It is
// kUndetermined too where a value, or the name of a port, has a character that a shell may take for its own.
//
// kInvalidArgument: the profiles do not fit the host, or no port has a name of `ports`.
absl::StatusOr<Environment> EnvironmentFor(const Facts& host, std::span<const Profile> profiles,
                                           const EnvironmentQuestion& question);

// [A-Za-z0-9_.:,/=+-], not empty, and no option of a command: only "-1" begins with a dash.
bool IsPlainValue(std::string_view value);

// The same for one name of a list, without `:`, `,`, `/` and `=`.
bool IsPlainItem(std::string_view name);

}  // namespace rdmaready
