// SPDX-License-Identifier: Apache-2.0
// Rows of bnxt_en (bnxt_dcb.c, bnxt_ethtool.c) and ice (ice_dcb_nl.c, ice_dcb_lib.c, ice_ethtool.c).
#include "tests/unit/checks/setting/driver_rows.h"

namespace rdmaready {
namespace {

const std::string kNoShares = "0,0,0,0,0,0,0,0";
const std::string kBnxtUnset = EtsText("ssssssss", kNoShares, "00000000");
const std::string kThreeClasses = EtsText("eeesssss", "50,25,25,0,0,0,0,0", "00012000");
const std::string kIceFirst = EtsText("esssssss", "100,0,0,0,0,0,0,0", "00000000", true);
const std::string kIceDscp = EtsText("eeeeeeee", "100,0,0,0,0,0,0,0", "01234567");
const std::string kPauseOnly = "autoneg off rx on tx on";

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one row for each behaviour
std::vector<DriverRow> BnxtRows() {
  const std::string above = EtsText("eesssvcv", "70,30,0,0,0,0,0,0", "00110000");
  const std::string lossless = "dcbx=host ieee|queues=2|ets=" + kThreeClasses;
  return {
      {"bnxt.all.closed", "bnxt_en", "dcbx=lld-managed ieee|pfc=off delay 0|ets=" + kThreeClasses,
       "pfc=on 3 delay 0", "unless the host has DCBX", ""},
      {"bnxt.all.closed", "bnxt_en", "dcbx=host", "ets=" + kThreeClasses, "unless DCBX is IEEE's", ""},
      {"bnxt.all.closed", "bnxt_en", "dcbx=ieee|app=empty", "app=dscp:26:3", "unless the host has DCBX",
       "app=empty"},
      {"bnxt.ets.first", "bnxt_en", "dcbx=host ieee|ets=" + kBnxtUnset, "ets=" + kThreeClasses, "",
       "ets=" + kThreeClasses},
      {"bnxt.ets.tsa", "bnxt_en", "dcbx=host ieee|ets=" + kBnxtUnset,
       "ets=" + EtsText("vesssvcv", "0,30,0,0,0,0,0,0", "00110000"), "strict and ETS classes only",
       "ets=" + kBnxtUnset},
      {"bnxt.ets.above", "bnxt_en", "dcbx=host ieee|ets=" + kBnxtUnset, "ets=" + above, "", "ets=" + above},
      {"bnxt.ets.sum", "bnxt_en", "dcbx=host ieee|ets=" + kBnxtUnset,
       "ets=" + EtsText("eeesssss", "60,50,0,0,0,0,0,0", "00012000"), "exceed 100 %", "ets=" + kBnxtUnset},
      {"bnxt.ets.sum", "bnxt_en", "dcbx=host ieee|ets=" + kBnxtUnset,
       "ets=" + EtsText("eeesssss", "40,30,0,0,0,0,0,0", "00012000"), "",
       "ets=" + EtsText("eeesssss", "40,30,0,0,0,0,0,0", "00012000")},
      {"bnxt.ets.starves", "bnxt_en", "dcbx=host ieee|ets=" + kBnxtUnset,
       "ets=" + EtsText("eeesssss", "100,0,0,0,0,0,0,0", "00012000"), "would starve", "ets=" + kBnxtUnset},
      {"bnxt.ets.stores", "bnxt_en", "dcbx=host ieee|ets=" + kThreeClasses,
       "ets=" + EtsText("eeesssss", "50,25,25,0,0,0,0,0", "00012000", true), "willing", "ets=" + kThreeClasses},
      {"bnxt.ets.pfc-unchecked", "bnxt_en", "dcbx=host ieee|queues=1|pfc=on 3 delay 0|ets=" + kBnxtUnset,
       "ets=" + kThreeClasses, "", "ets=" + kThreeClasses + "|pfc=on 3 delay 0"},
      {"bnxt.pfc.before-ets", "bnxt_en", "dcbx=host ieee|pfc=off delay 0|ets=" + kBnxtUnset, "pfc=on 3 delay 0",
       "before its classes are set", "pfc=off delay 0"},
      {"bnxt.pfc.queues", "bnxt_en", lossless + "|pfc=off delay 0", "pfc=on 0,3,4 delay 0", "2 lossless queues",
       "pfc=off delay 0"},
      {"bnxt.pfc.queues", "bnxt_en", lossless + "|pfc=off delay 0", "pfc=on 3,4 delay 0", "",
       "pfc=on 3,4 delay 0"},
      {"bnxt.pfc.stores", "bnxt_en", lossless + "|pfc=off delay 0", "pfc=on 3 delay 300", "",
       "pfc=on 3 delay 300"},
      {"bnxt.app.any", "bnxt_en", "dcbx=host ieee|app=empty", "app=dgram:4791:3 dscp:26:3 dscp:26:4", "",
       "app=dgram:4791:3 dscp:26:3 dscp:26:4"},
      {"bnxt.app.dscp-range", "bnxt_en", "dcbx=host ieee|app=empty", "app=dscp:64:3", "no such DSCP",
       "app=empty"},
      {"bnxt.app.delete-forgets", "bnxt_en", "dcbx=host ieee|app=dscp:26:3 dscp:26:4", "app=dscp:26:3", "",
       "app=dscp:26:3"},
      {"bnxt.dcbx.lld", "bnxt_en", "dcbx=lld-managed ieee", "dcbx=host ieee", "NVRAM", "dcbx=lld-managed ieee"},
      {"bnxt.dcbx.host", "bnxt_en", "dcbx=ieee", "dcbx=host cee ieee", "speaks IEEE only", "dcbx=ieee"},
      {"bnxt.dcbx.any", "bnxt_en", "dcbx=host ieee", "dcbx=cee", "", "dcbx=cee"},
      {"bnxt.pause.free", "bnxt_en", lossless + "|pfc=on 3 delay 0|pause=autoneg off rx off tx off",
       "pause=" + kPauseOnly, "", "pfc=on 3 delay 0|pause=" + kPauseOnly},
  };
}

// NOLINTNEXTLINE(readability-function-size): one row for each behaviour
std::vector<DriverRow> IceRows() {
  const std::string open = "dcbx=host ieee|private-flag=off|app=empty|";
  const std::string dscp = "dcbx=host ieee|private-flag=off|app=dscp:26:3|pfc=on 3 delay 5|ets=" + kIceDscp;
  const std::string gap = EtsText("essessss", "50,0,0,50,0,0,0,0", "00030000");
  return {
      {"ice.all.closed", "ice", "dcbx=lld-managed ieee|private-flag=on", "ets=" + kThreeClasses,
       "LLDP agent runs", ""},
      {"ice.all.closed", "ice", "dcbx=host cee|private-flag=off", "pfc=on 3 delay 0", "unless DCBX is IEEE's",
       ""},
      {"ice.all.bond", "ice", open + "master=bond0", "app=dscp:26:3", "in a bond", "app=empty"},
      {"ice.ets.first", "ice", open + "ets=" + kIceFirst, "ets=" + kThreeClasses, "", "ets=" + kThreeClasses},
      {"ice.ets.sum", "ice", open + "ets=" + kIceFirst,
       "ets=" + EtsText("eeesssss", "50,25,24,0,0,0,0,0", "00012000"), "must sum to 100 %", "ets=" + kIceFirst},
      {"ice.ets.sum", "ice", open + "ets=" + kIceFirst,
       "ets=" + EtsText("esssssss", "50,0,0,0,0,0,0,0", "00010000"), "",
       "ets=" + EtsText("esssssss", "50,0,0,0,0,0,0,0", "00010000")},
      {"ice.ets.no-share", "ice", open + "ets=" + kIceFirst,
       "ets=" + EtsText("eeesssss", kNoShares, "00012000"), "first class all bandwidth", "ets=" + kIceFirst},
      {"ice.ets.one-class", "ice", open + "ets=" + kThreeClasses,
       "ets=" + EtsText("esssssss", "50,0,0,0,0,0,0,0", "00000000"), "single class all bandwidth",
       "ets=" + kThreeClasses},
      {"ice.ets.gap", "ice", open + "ets=" + kThreeClasses, "ets=" + gap, "back to its first settings",
       "ets=" + kThreeClasses},
      {"ice.ets.strict", "ice", open + "ets=" + kThreeClasses,
       "ets=" + EtsText("ssssssss", kNoShares, "00012000"), "",
       "ets=" + EtsText("ssssssss", kNoShares, "00012000")},
      {"ice.ets.strict", "ice", open + "ets=" + kThreeClasses,
       "ets=" + EtsText("ssssssss", kNoShares, "01234567"), "",
       "ets=" + EtsText("ssssssss", kNoShares, "01234567")},
      // A step that the model refuses is never written, so that nothing of it stays in the driver.
      {"ice.ets.refused-kept", "ice", open + "pfc=off delay 5|ets=" + kThreeClasses,
       "ets=" + EtsText("eeesssss", "50,25,24,0,0,0,0,0", "00012000"), "must sum to 100 %",
       "pfc=off delay 5|ets=" + kThreeClasses},
      {"ice.ets.capability", "ice", open + "pfc=off delay 5|ets=" + kIceFirst, "pfc=on 3 delay 5", "",
       "pfc=on 3 delay 5"},
      {"ice.ets.fixed-map", "ice", dscp, "ets=" + kThreeClasses, "fixed map", "ets=" + kIceDscp},
      {"ice.pfc.first", "ice", open + "pfc=off delay 5|ets=" + kIceFirst, "pfc=on 3 delay 5", "",
       "pfc=on 3 delay 5|ets=" + EtsText("ssssssss", kNoShares, "00000000")},
      {"ice.pfc.delay", "ice", open + "pfc=off delay 5|ets=" + kThreeClasses, "pfc=on 3 delay 7",
       "delay of its own", "pfc=off delay 5"},
      {"ice.app.dscp-only", "ice", open, "app=dgram:4791:3", "no row of that kind", "app=empty"},
      {"ice.app.dscp-only", "ice", open, "app=dscp:64:3", "no such DSCP", "app=empty"},
      {"ice.app.priority", "ice", open + "classes=4", "app=dscp:26:4", "no class for that priority",
       "app=empty"},
      {"ice.app.first", "ice", open + "pfc=on 3 delay 5|ets=" + kThreeClasses, "app=dscp:26:3", "",
       "app=dscp:26:3|pfc=on 3 delay 5|ets=" + kIceDscp},
      {"ice.app.twice", "ice", dscp, "app=dscp:26:3 dscp:26:4", "a DSCP once", "app=dscp:26:3"},
      {"ice.app.last", "ice", dscp, "app=empty", "", "app=empty|pfc=off delay 5|ets=" + kIceFirst},
      // The driver keeps more than it shows: after a write of PFC its ETS must be read again.
      {"ice.app.last-hidden", "ice", dscp, "app=empty", "", "pfc=off delay 5|ets=" + kIceFirst},
      {"ice.dcbx.agent", "ice", "dcbx=lld-managed ieee|private-flag=on", "dcbx=host ieee", "LLDP agent runs",
       "dcbx=lld-managed ieee"},
      {"ice.dcbx.host", "ice", open, "dcbx=ieee", "no such mode", "dcbx=host ieee"},
      {"ice.dcbx.host", "ice", open, "dcbx=host cee ieee", "no such mode", "dcbx=host ieee"},
      {"ice.dcbx.same", "ice", open, "dcbx=host ieee", "", "dcbx=host ieee"},
      {"ice.dcbx.dscp", "ice", dscp, "dcbx=host cee", "while it has DSCP rows", "dcbx=host ieee"},
      {"ice.flag.on", "ice", open, "private-flag=on", "", "dcbx=lld-managed ieee"},
      {"ice.flag.off", "ice", "dcbx=lld-managed ieee|private-flag=on|app=empty", "private-flag=off", "",
       "dcbx=host ieee|ets=" + kIceFirst},
      {"ice.flag.dscp", "ice", dscp, "private-flag=on", "starts no LLDP agent", "dcbx=host ieee"},
      {"ice.pause.pfc", "ice", open + "pfc=on 3 delay 5|pause=autoneg off rx off tx off", "pause=" + kPauseOnly,
       "while PFC is on", "pause=autoneg off rx off tx off"},
      {"ice.pfc.pause", "ice", open + "pfc=off delay 5|ets=" + kThreeClasses + "|pause=" + kPauseOnly,
       "pfc=on 3 delay 5", "", "pfc=on 3 delay 5|pause=autoneg off rx off tx off"},
      {"ice.pause.autoneg", "ice", open + "pfc=off delay 5|pause=autoneg off rx off tx off",
       "pause=autoneg on rx off tx off", "takes no other", "pause=autoneg off rx off tx off"},
  };
}

}  // namespace rdmaready
