// SPDX-License-Identifier: Apache-2.0
// Rows of mlx4_en, cxgb4, qede, hns3, i40e and ixgbe.
#include "tests/unit/checks/setting/driver_rows.h"

namespace rdmaready {
namespace {

const std::string kOtherZeros = "0,0,0,0,0,0,0,0";
const std::string kOtherUnset = EtsText("ssssssss", kOtherZeros, "00000000");
const std::string kOtherThree = EtsText("eeesssss", "50,25,25,0,0,0,0,0", "00012000");
const std::string kHns3Three = EtsText("eeesssss", "50,25,25,0,0,0,0,0", "00012000", true);
const std::string kOtherPauseOff = "autoneg off rx off tx off";
const std::string kOtherPauseOn = "autoneg off rx on tx on";

std::vector<DriverRow> Cxgb4Rows() {
  const std::string willing = EtsText("ssssssss", kOtherZeros, "00000000", true);
  return {
      {"cxgb4.ets.no-setter", "cxgb4", "dcbx=ieee|ets=" + willing, "ets=" + kOtherThree, "no setter",
       "ets=" + willing},
      {"cxgb4.ets.no-setter", "cxgb4", "dcbx=ieee|pfc=off delay 0", "pfc=on 3 delay 0", "no setter",
       "pfc=off delay 0"},
      {"cxgb4.dcbx.firmware", "cxgb4", "dcbx=lld-managed ieee|pfc=on 3 delay 0|app=empty", "app=dgram:4791:3",
       "", "pfc=?|app=dgram:4791:3"},
      {"cxgb4.app.negotiated", "cxgb4", "dcbx=cee|app=empty", "app=dgram:4791:3", "unless DCBX is IEEE's",
       "app=empty"},
      {"cxgb4.app.selector", "cxgb4", "dcbx=ieee|app=empty", "app=dscp:26:3", "no row of that kind",
       "app=empty"},
      {"cxgb4.app.selector", "cxgb4", "dcbx=ieee|app=empty", "app=ethertype:0:3", "no row of that kind",
       "app=empty"},
      {"cxgb4.app.selector", "cxgb4", "dcbx=ieee|app=empty", "app=dgram:4791:3", "", "app=dgram:4791:3"},
      {"cxgb4.app.delete", "cxgb4", "dcbx=ieee|app=dgram:4791:3", "app=empty", "", "app=empty"},
      {"cxgb4.dcbx.same", "cxgb4", "dcbx=ieee", "dcbx=host ieee", "changes no DCBX mode", "dcbx=ieee"},
  };
}

std::vector<DriverRow> QedeRows() {
  return {
      {"qede.all.closed", "qede", "dcbx=cee|pfc=off delay 0", "pfc=on 3 delay 0", "unless DCBX is IEEE's",
       "pfc=off delay 0"},
      // The model shows what the firmware and its peer agree to in the end.
      {"qede.all.later", "qede", "dcbx=ieee static|ets=" + kOtherUnset, "ets=" + kOtherThree, "",
       "ets=" + kOtherThree},
      {"qede.pfc.not-kept", "qede", "dcbx=ieee|pfc=off delay 0", "pfc=on 3 delay 7", "keeps no delay",
       "pfc=off delay 0"},
      // The model refuses such a row, so that none is left in the kernel's table.
      {"qede.app.kept-in-table", "qede", "dcbx=ieee|app=empty", "app=dscp:26:3", "no row of that kind",
       "app=empty"},
      {"qede.app.selector", "qede", "dcbx=ieee|app=empty",
       "app=ethertype:0:3 stream:445:3 dgram:4791:3 any:445:3", "",
       "app=ethertype:0:3 stream:445:3 dgram:4791:3 any:445:3"},
      {"qede.app.delete", "qede", "dcbx=ieee|app=dgram:4791:3", "app=empty", "", "app=empty"},
      {"qede.dcbx.dialect", "qede", "dcbx=ieee", "dcbx=none", "no such mode", "dcbx=ieee"},
      {"qede.dcbx.dialect", "qede", "dcbx=ieee", "dcbx=host ieee", "leaves DCBX to its firmware", "dcbx=ieee"},
  };
}

std::vector<DriverRow> Hns3Rows() {
  const std::string open = "dcbx=host ieee|ets=" + kHns3Three;
  return {
      {"hns3.ets.first", "hns3",
       "dcbx=host ieee|ets=" + EtsText("esssssss", "100,0,0,0,0,0,0,0", "00000000", true), "ets=" + kHns3Three,
       "", "ets=" + kHns3Three},
      {"hns3.ets.closed", "hns3", "dcbx=host|ets=" + kHns3Three, "ets=" + kHns3Three, "unless DCBX is IEEE's",
       ""},
      {"hns3.ets.tsa", "hns3", open, "ets=" + EtsText("eevsssss", "50,50,0,0,0,0,0,0", "00012000", true),
       "strict and ETS classes only", "ets=" + kHns3Three},
      {"hns3.ets.unused", "hns3", open, "ets=" + EtsText("eeesesss", "50,25,15,0,10,0,0,0", "00012000", true),
       "above the highest in use", "ets=" + kHns3Three},
      {"hns3.ets.zero-share", "hns3", open, "ets=" + EtsText("eeesssss", "50,50,0,0,0,0,0,0", "00012000", true),
       "without a share", "ets=" + kHns3Three},
      {"hns3.ets.sum", "hns3", open, "ets=" + EtsText("eeesssss", "50,25,24,0,0,0,0,0", "00012000", true),
       "sum to 100", "ets=" + kHns3Three},
      {"hns3.ets.classes", "hns3", open + "|classes=4",
       "ets=" + EtsText("ssssssss", kOtherZeros, "00004000", true), "no such class", "ets=" + kHns3Three},
      {"hns3.ets.not-ets-share", "hns3", open,
       "ets=" + EtsText("esssssss", "100,0,0,0,0,0,0,0", "00012000", true), "",
       "ets=" + EtsText("esssssss", "100,0,0,0,0,0,0,0", "00012000", true)},
      {"hns3.ets.willing", "hns3", open, "ets=" + kOtherThree, "willing", "ets=" + kHns3Three},
      {"hns3.pfc.not-kept", "hns3", open + "|pfc=off delay 0", "pfc=on 3 delay 7", "keeps no delay",
       "pfc=off delay 0"},
      {"hns3.pfc.pause", "hns3", open + "|pfc=off delay 0|pause=" + kOtherPauseOn, "pfc=on 3 delay 0", "",
       "pfc=on 3 delay 0|pause=" + kOtherPauseOff},
      {"hns3.pause.pfc", "hns3", open + "|pfc=on 3 delay 0|pause=" + kOtherPauseOff, "pause=" + kOtherPauseOn,
       "while PFC is on", "pause=" + kOtherPauseOff},
      {"hns3.app.dscp-only", "hns3", open + "|app=empty", "app=dgram:4791:3", "no row of that kind",
       "app=empty"},
      {"hns3.app.dscp-only", "hns3", open + "|app=empty", "app=dscp:64:3", "no such DSCP", "app=empty"},
      {"hns3.app.replaces", "hns3", open + "|app=dscp:26:2", "app=dscp:26:3", "", "app=dscp:26:3"},
      {"hns3.app.replaces", "hns3", open + "|app=dscp:26:2", "app=dscp:26:2 dscp:26:3", "a DSCP once",
       "app=dscp:26:2"},
      {"hns3.app.delete-other", "hns3", open + "|app=dscp:26:2 dscp:48:6", "app=dscp:48:6", "",
       "app=dscp:48:6"},
      {"hns3.dcbx.host", "hns3", "dcbx=host ieee", "dcbx=ieee", "no such mode", "dcbx=host ieee"},
      {"hns3.dcbx.host", "hns3", "dcbx=host ieee", "dcbx=host cee", "no such mode", "dcbx=host ieee"},
  };
}

std::vector<DriverRow> OlderIntelRows() {
  const std::string open = "dcbx=host ieee|ets=" + kOtherThree;
  return {
      {"i40e.all.closed", "i40e", "dcbx=lld-managed ieee|pfc=off delay 5", "pfc=on 3 delay 5",
       "LLDP agent runs", ""},
      {"i40e.all.closed", "i40e", "dcbx=host cee|ets=" + kOtherUnset, "ets=" + kOtherThree,
       "unless DCBX is IEEE's", "ets=" + kOtherUnset},
      {"i40e.pfc.delay", "i40e", open + "|pfc=off delay 5", "pfc=on 3 delay 7", "delay of its own",
       "pfc=off delay 5"},
      {"i40e.app.table-first", "i40e", open + "|app=empty", "app=dgram:4791:3", "", "app=dgram:4791:3"},
      {"i40e.dcbx.lld", "i40e", "dcbx=lld-managed ieee", "dcbx=host ieee", "LLDP agent runs",
       "dcbx=lld-managed ieee"},
      {"i40e.dcbx.host", "i40e", "dcbx=host ieee", "dcbx=ieee", "no such mode", "dcbx=host ieee"},
      {"i40e.dcbx.host", "i40e", "dcbx=host ieee", "dcbx=host cee", "", "dcbx=host cee"},
      {"i40e.pause.pfc", "i40e", open + "|pfc=on 3 delay 5|pause=" + kOtherPauseOff, "pause=" + kOtherPauseOn,
       "while PFC is on", "pause=" + kOtherPauseOff},
      {"i40e.pfc.pause", "i40e", open + "|pfc=off delay 5|pause=" + kOtherPauseOn, "pfc=on 3 delay 5", "",
       "pfc=on 3 delay 5|pause=" + kOtherPauseOff},
      {"i40e.pause.pfc", "i40e", open + "|pfc=off delay 5|pause=" + kOtherPauseOff,
       "pause=autoneg on rx off tx off", "takes no other", "pause=" + kOtherPauseOff},
      {"ixgbe.all.closed", "ixgbe", "dcbx=host cee|ets=" + kOtherUnset, "ets=" + kOtherThree,
       "unless DCBX is IEEE's", "ets=" + kOtherUnset},
      {"ixgbe.ets.refused-shown", "ixgbe", "dcbx=host ieee|ets=" + kOtherUnset + "|classes=4",
       "ets=" + EtsText("ssssssss", kOtherZeros, "00004000"), "no such class", "ets=" + kOtherUnset},
      {"ixgbe.pfc.before-ets", "ixgbe", "dcbx=host ieee|pfc=off delay 0|ets=" + kOtherUnset, "pfc=on 3 delay 0",
       "before its classes are set", "pfc=off delay 0"},
      {"ixgbe.pfc.pause", "ixgbe", open + "|pfc=off delay 0|pause=" + kOtherPauseOn, "pfc=on 3 delay 0", "",
       "pfc=on 3 delay 0|pause=" + kOtherPauseOn},
      {"ixgbe.app.default", "ixgbe", open + "|app=empty", "app=ethertype:0:3", "", "app=ethertype:0:3"},
      {"ixgbe.dcbx.clears", "ixgbe", open + "|pfc=on 3 delay 0", "dcbx=host cee", "",
       "dcbx=host cee|pfc=off delay 0|ets=" + kOtherUnset},
  };
}

}  // namespace

std::vector<DriverRow> Mlx4Rows() {
  const std::string open = "dcbx=host ieee|ets=" + kOtherThree;
  return {
      {"mlx4.ets.first", "mlx4_en",
       "dcbx=host cee ieee|ets=" + EtsText("vvvvvvvv", kOtherZeros, "01234567") + "|pause=" + kOtherPauseOn,
       "ets=" + kOtherThree, "", "ets=" + kOtherThree + "|pause=" + kOtherPauseOn},
      {"mlx4.dcbx.first", "mlx4_en", "dcbx=host cee ieee", "dcbx=host ieee", "", "dcbx=host ieee"},
      {"mlx4.dcbx.first", "mlx4_en", "dcbx=host ieee", "dcbx=host cee ieee", "no such mode", "dcbx=host ieee"},
      {"mlx4.ets.sum", "mlx4_en", open, "ets=" + EtsText("eeesssss", "50,25,24,0,0,0,0,0", "00012000"),
       "sum to 100", "ets=" + kOtherThree},
      {"mlx4.ets.cb-shaper", "mlx4_en", open, "ets=" + EtsText("cvvvvvvv", kOtherZeros, "01234567"),
       "credit-based shaper", "ets=" + kOtherThree},
      {"mlx4.ets.stores", "mlx4_en", "ets=" + EtsText("vvvvvvvv", kOtherZeros, "01234567"),
       "ets=" + kOtherThree, "", "ets=" + kOtherThree},
      {"mlx4.ets.stores", "mlx4_en", open, "ets=" + kHns3Three, "willing", "ets=" + kOtherThree},
      {"mlx4.ets.absent", "mlx4_en", "ets=?", "ets=" + kOtherThree, "does not have it", "ets=?"},
      {"mlx4.pfc.pause", "mlx4_en", open + "|pfc=off delay 0|pause=" + kOtherPauseOn, "pfc=on 3 delay 0", "",
       "pfc=on 3 delay 0|pause=" + kOtherPauseOff},
      {"mlx4.pause.pfc", "mlx4_en", open + "|pfc=on 3 delay 0|pause=" + kOtherPauseOff,
       "pause=" + kOtherPauseOn, "", "pfc=off delay 0|pause=" + kOtherPauseOn},
      {"mlx4.pause.pfc", "mlx4_en", open + "|pfc=off delay 0|pause=" + kOtherPauseOff,
       "pause=autoneg on rx off tx off", "negotiates no pause", "pause=" + kOtherPauseOff},
      {"mlx4.pfc.not-kept", "mlx4_en", open + "|pfc=off delay 0", "pfc=on 3 delay 7", "keeps no delay",
       "pfc=off delay 0"},
      {"mlx4.maxrate.up", "mlx4_en", "maxrate=" + kOtherZeros, "maxrate=150000,0,0,0,0,0,0,0",
       "steps of 100 Mb/s", "maxrate=" + kOtherZeros},
      {"mlx4.app.table-only", "mlx4_en", "app=empty", "app=dscp:26:3 dscp:26:4", "", "app=dscp:26:3 dscp:26:4"},
      {"mlx4.dcbx.clears", "mlx4_en", "dcbx=host cee|pfc=on 3 delay 0|ets=" + kOtherThree, "dcbx=host ieee", "",
       "dcbx=host ieee|pfc=off delay 0|ets=" + kOtherUnset},
      {"mlx4.dcbx.host", "mlx4_en", "dcbx=host ieee", "dcbx=host cee ieee", "no such mode", "dcbx=host ieee"},
      {"mlx4.dcbx.host", "mlx4_en", "dcbx=host ieee", "dcbx=ieee", "no such mode", "dcbx=host ieee"},
  };
}

std::vector<DriverRow> OtherRows() {
  std::vector<DriverRow> all;
  for (const auto& rows : {Cxgb4Rows(), QedeRows(), Hns3Rows(), OlderIntelRows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace rdmaready
