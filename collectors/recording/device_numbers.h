// SPDX-License-Identifier: Apache-2.0
// The numbers of a VerbsDeviceAnswer by their names in a recording: what is written is what is read.
#pragma once

#include <array>
#include <cstdint>

#include "collectors/host_reader.h"

namespace rdmaready::recording {

struct DeviceNumber {
  const char* name;
  std::uint32_t VerbsDeviceAnswer::*member;
};

inline constexpr std::array<DeviceNumber, 10> kDeviceNumbers{{
    {"device_cap_flags", &VerbsDeviceAnswer::device_cap_flags},
    {"max_qp", &VerbsDeviceAnswer::max_qp},
    {"max_qp_wr", &VerbsDeviceAnswer::max_qp_wr},
    {"max_sge", &VerbsDeviceAnswer::max_sge},
    {"max_sge_rd", &VerbsDeviceAnswer::max_sge_rd},
    {"max_cqe", &VerbsDeviceAnswer::max_cqe},
    {"max_mr", &VerbsDeviceAnswer::max_mr},
    {"max_mw", &VerbsDeviceAnswer::max_mw},
    {"max_qp_rd_atom", &VerbsDeviceAnswer::max_qp_rd_atom},
    {"max_qp_init_rd_atom", &VerbsDeviceAnswer::max_qp_init_rd_atom},
}};

}  // namespace rdmaready::recording
