// SPDX-License-Identifier: Apache-2.0
// Rows that are played on the model: those of the kernel and of mlx5_core. en_dcbnl.c and en/port_buffer.c have
// the functions; DRIVERS.md has their lines.
#include "tests/unit/checks/setting/driver_rows.h"

namespace rdmaready {
namespace {

const std::string kMlx5Zeros = "0,0,0,0,0,0,0,0";
const std::string kMlx5Vendor = EtsText("vvvvvvvv", kMlx5Zeros, "10234567");
const std::string kMlx5Halves = EtsText("esseesss", "50,0,0,25,25,0,0,0", "00034000");
const std::string kMlx5Whole = "prio 0,0,0,0,0,0,0,0 size 262016,0,0,0,0,0,0,0";
const std::string kMlx5Parted = "prio 0,0,0,1,0,0,0,0 size 131840,130176,0,0,0,0,0,0";
const std::string kMlx5Small = "prio 0,0,0,1,0,0,0,0 size 257920,4096,0,0,0,0,0,0";

}  // namespace

std::vector<DriverRow> KernelRows() {
  return {
      {"kernel.ieee.no-setter", "ice", "buffer=?|dcbx=host ieee", "buffer=" + kMlx5Parted, "does not have it",
       "buffer=?"},
      {"kernel.trust.no-setter", "mlx5_core", "trust=?", "trust=dscp pcp", "does not have it", "trust=?"},
      {"kernel.app.no-setter", "mlx4_en", "app=empty", "app=dgram:4791:3 dscp:26:3", "",
       "app=dgram:4791:3 dscp:26:3"},
  };
}

// NOLINTNEXTLINE(readability-function-size): one row for each behaviour
std::vector<DriverRow> Mlx5Rows() {
  const std::string zero = EtsText("eesessss", "0,0,0,100,0,0,0,0", "01230000");
  return {
      {"mlx5.ets.first", "mlx5_core",
       "ets=" + EtsText("vvvvvvvv", "100,100,100,100,100,100,100,100", "10234567"), "ets=" + kMlx5Halves, "",
       "ets=" + kMlx5Halves},
      {"mlx5.ets.first", "mlx5_core", "ets=" + kMlx5Halves, "ets=" + kMlx5Vendor, "", "ets=" + kMlx5Vendor},
      {"mlx5.ets.not-ets-share", "mlx5_core",
       "ets=" + EtsText("esseesss", "50,100,100,25,25,100,100,100", "00034000"), "ets=" + kMlx5Vendor, "",
       "ets=" + kMlx5Vendor},
      {"mlx5.ets.sum", "mlx5_core", "ets=" + kMlx5Vendor,
       "ets=" + EtsText("esseesss", "50,0,0,25,24,0,0,0", "00034000"), "sum to 100", "ets=" + kMlx5Vendor},
      {"mlx5.ets.cb-shaper", "mlx5_core", "ets=" + kMlx5Vendor,
       "ets=" + EtsText("cvvvvvvv", kMlx5Zeros, "10234567"), "credit-based shaper", "ets=" + kMlx5Vendor},
      {"mlx5.ets.class-range", "mlx5_core", "ets=" + EtsText("ssssssss", kMlx5Zeros, "00000000") + "|classes=4",
       "ets=" + EtsText("ssssssss", kMlx5Zeros, "00005000"), "no such class",
       "ets=" + EtsText("ssssssss", kMlx5Zeros, "00000000")},
      {"mlx5.ets.zero-share", "mlx5_core", "ets=" + kMlx5Vendor, "ets=" + zero, "", "ets=" + zero},
      {"mlx5.ets.not-kept", "mlx5_core", "ets=" + kMlx5Vendor,
       "ets=" + EtsText("vvvvvvvv", kMlx5Zeros, "10234567", true), "willing", "ets=" + kMlx5Vendor},
      {"mlx5.pfc.cable", "mlx5_core", "pfc=on 3 delay 7", "pfc=on 3 delay 999", "", "pfc=on 3 delay 999"},
      {"mlx5.pfc.cable", "mlx5_core", "pfc=on 3 delay 7", "pfc=on 3 delay 0", "1 to 999 m", "pfc=on 3 delay 7"},
      {"mlx5.pfc.cable", "mlx5_core", "pfc=on 3 delay 7", "pfc=on 3 delay 1000", "1 to 999 m",
       "pfc=on 3 delay 7"},
      {"mlx5.pfc.firmware-buffers", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Whole, "pfc=on 3 delay 7", "",
       "pfc=on 3 delay 7|buffer=?"},
      // dcbnl does not show that software has the buffers: the model leaves to the next reading what they are.
      {"mlx5.pfc.manual-buffers", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Parted, "pfc=on 3 delay 7", "",
       "pfc=on 3 delay 7|buffer=?"},
      {"mlx5.pfc.small-buffer", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Small, "pfc=on 3 delay 7", "",
       "pfc=on 3 delay 7|buffer=?"},
      {"mlx5.pfc.small-cable", "mlx5_core", "pfc=on 3 delay 7|buffer=" + kMlx5Parted, "pfc=on 3 delay 900", "",
       "pfc=on 3 delay 900|buffer=" + kMlx5Parted},
      {"mlx5.buffer.first", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Whole, "buffer=" + kMlx5Parted, "",
       "buffer=" + kMlx5Parted},
      {"mlx5.buffer.cells", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Whole,
       "buffer=prio 0,0,0,1,0,0,0,0 size 131008,131008,0,0,0,0,0,0", "whole cells of 128 bytes",
       "buffer=" + kMlx5Whole},
      {"mlx5.buffer.cells", "mlx5_core",
       "pfc=off delay 7|buffer=prio 0,0,0,0,0,0,0,0 size 259344,0,0,0,0,0,0,0",
       "buffer=prio 0,0,0,1,0,0,0,0 size 129168,130176,0,0,0,0,0,0", "",
       "buffer=prio 0,0,0,1,0,0,0,0 size 129168,130176,0,0,0,0,0,0"},
      {"mlx5.buffer.total", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Whole,
       "buffer=prio 0,0,0,0,0,0,0,0 size 262144,0,0,0,0,0,0,0", "size together", "buffer=" + kMlx5Whole},
      {"mlx5.buffer.small", "mlx5_core", "pfc=on 3 delay 7|buffer=" + kMlx5Parted, "buffer=" + kMlx5Small,
       "no lossless buffer of that size for priority 3", "buffer=" + kMlx5Parted},
      {"mlx5.buffer.zero", "mlx5_core", "pfc=on 3 delay 7|buffer=" + kMlx5Parted,
       "buffer=prio 0,0,0,1,0,0,0,0 size 262016,0,0,0,0,0,0,0",
       "no lossless buffer of that size for priority 3", "buffer=" + kMlx5Parted},
      {"mlx5.buffer.map-before-size", "mlx5_core", "pfc=on 3 delay 7|buffer=" + kMlx5Whole,
       "buffer=" + kMlx5Parted, "", "buffer=" + kMlx5Parted},
      {"mlx5.buffer.map-before-size", "mlx5_core", "pfc=on 3 delay 7|buffer=" + kMlx5Parted,
       "buffer=" + kMlx5Whole, "", "buffer=" + kMlx5Whole},
      {"mlx5.buffer.map-and-size", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Parted, "buffer=" + kMlx5Small,
       "", "buffer=" + kMlx5Small},
      {"mlx5.buffer.owner", "mlx5_core", "pfc=on 3 delay 7|buffer=" + kMlx5Parted,
       "buffer=prio 0,0,0,1,0,0,0,0 size 130688,131328,0,0,0,0,0,0", "",
       "pfc=on 3 delay 7|buffer=prio 0,0,0,1,0,0,0,0 size 130688,131328,0,0,0,0,0,0"},
      {"mlx5.buffer.shared", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Whole + "|total=4151424",
       "buffer=prio 0,0,0,1,0,0,0,0 size 131072,4020352,0,0,0,0,0,0", "four cells for the pools",
       "buffer=" + kMlx5Whole},
      {"mlx5.buffer.shared", "mlx5_core", "pfc=off delay 7|buffer=" + kMlx5Whole + "|total=4151424",
       "buffer=prio 0,0,0,1,0,0,0,0 size 131072,4019840,0,0,0,0,0,0", "",
       "buffer=prio 0,0,0,1,0,0,0,0 size 131072,4019840,0,0,0,0,0,0"},
      {"mlx5.maxrate.units", "mlx5_core", "maxrate=" + kMlx5Zeros, "maxrate=0,100000,0,25500000,26000000,0,0,0",
       "", "maxrate=0,100000,0,25500000,26000000,0,0,0"},
      {"mlx5.maxrate.units", "mlx5_core", "maxrate=" + kMlx5Zeros, "maxrate=0,50000,0,0,0,0,0,0",
       "steps of 100 Mb/s", "maxrate=" + kMlx5Zeros},
      {"mlx5.maxrate.units", "mlx5_core", "maxrate=" + kMlx5Zeros, "maxrate=0,25600000,0,0,0,0,0,0",
       "of 1 Gb/s", "maxrate=" + kMlx5Zeros},
      {"mlx5.maxrate.limit", "mlx5_core", "maxrate=" + kMlx5Zeros, "maxrate=256000000,0,0,0,0,0,0,0",
       "255 Gb/s at most", "maxrate=" + kMlx5Zeros},
      {"mlx5.app.dscp-only", "mlx5_core", "app=empty", "app=dgram:4791:3", "no row of that kind", "app=empty"},
      {"mlx5.app.dscp-only", "mlx5_core", "app=empty", "app=dscp:64:3", "no such DSCP", "app=empty"},
      {"mlx5.app.replaces", "mlx5_core", "app=dscp:26:2", "app=dscp:26:3", "", "app=dscp:26:3"},
      {"mlx5.app.replaces", "mlx5_core", "app=dscp:26:2", "app=dscp:26:2 dscp:26:3", "a DSCP once",
       "app=dscp:26:2"},
      {"mlx5.app.delete-other", "mlx5_core", "app=dscp:26:2 dscp:48:6", "app=dscp:48:6", "", "app=dscp:48:6"},
      {"mlx5.dcbx.firmware", "mlx5_core", "dcbx=host cee ieee", "dcbx=cee ieee", "", "dcbx=cee ieee"},
      {"mlx5.dcbx.host", "mlx5_core", "dcbx=host cee ieee", "dcbx=lld-managed ieee", "no such mode",
       "dcbx=host cee ieee"},
      {"mlx5.dcbx.open", "mlx5_core", "dcbx=cee ieee|pfc=off delay 7", "pfc=on 3 delay 7", "",
       "pfc=on 3 delay 7"},
      {"mlx5.dcbx.open", "mlx5_core", "dcbx=cee ieee|app=empty", "app=dscp:26:3", "", "app=dscp:26:3"},
      {"mlx5.pause.autoneg", "mlx5_core", "pause=autoneg off rx on tx on", "pause=autoneg on rx off tx off",
       "negotiates no pause", "pause=autoneg off rx on tx on"},
  };
}

}  // namespace rdmaready
