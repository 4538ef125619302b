// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts Heard(Fact<DcbWrites> writes) {
  return WithNetdev([&writes](Netdev& netdev) { netdev.dcb_writes = writes; });
}

Facts Written(std::vector<DcbWrite> writes) {
  return Heard(DcbWrites{.listened_ms = 35'000, .writes = std::move(writes)});
}

DcbWrite By(DcbWriter writer, std::vector<std::string> suspects = {}) {
  return {.writer = writer, .suspects = std::move(suspects), .changed = {"PFC 3 -> 4"}};
}

}  // namespace

std::vector<CheckCase> DriftCases() {
  const DcbWrite program = By(DcbWriter::kProcess, {"dcb (process 712)"});
  DcbWrite again = By(DcbWriter::kProcess, {"lldpad (process 612)"});
  again.changed.clear();
  again.times = 3;
  const Facts unannounced = Heard(DcbWrites{.listened_ms = 35'000, .unannounced = {"DCBX mode", "ETS"}});
  const Missing no_dcb{Missing::Kind::kUnsupported, "there is no DCB"};
  const Facts infiniband = WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
  const char* id = "drift.foreign-writer";
  return {
      Passes(id, "quiet", Written({}), "nobody wrote in 35 s"),
      Fails(id, "a program", Written({program}), "PFC 3 -> 4 by a process, probably dcb (process 712)",
            {.fix = "ps -C lldpad"}),
      Fails(id, "a program that is gone", Written({By(DcbWriter::kProcess)}),
            "by a process that could not be named"),
      Fails(id, "one of two programs",
            Written({By(DcbWriter::kProcess, {"dcb (process 1)", "ip (process 2)"})}),
            "probably dcb (process 1) or ip (process 2)"),
      Fails(id, "lldpad, the same again", Written({again}),
            "written again, unchanged (3 times) by a process, probably lldpad (process 612)",
            {.fix = "systemctl disable --now lldpad"}),
      Fails(id, "the driver", Written({By(DcbWriter::kDriver)}), "the NIC's driver, for its firmware",
            {.fix = "dcb dcbx set dev dcb0 host ieee"}),
      Fails(id, "nobody knows who", Written({By(DcbWriter::kUnknown)}), "somebody unknown"),
      Fails(id, "many", Written({program, again, program, again}), "; and 2 more"),
      Fails(id, "without a word", unannounced, "DCBX mode, ETS changed, and the kernel did not announce it"),
      IsUnknown(id, "more than could be kept", Heard(DcbWrites{.listened_ms = 35'000, .lost = true}),
                "more than could be kept"),
      IsUnknown(id, "denied", Heard(Denied()), "not permitted"),
      IsUnknown(id, "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), "not permitted"),
      DoesNotApply(id, "not watched", GoodHost(), "not watched (--watch SECONDS)"),
      DoesNotApply(id, "no DCB", Heard(no_dcb), "there is no DCB"),
      DoesNotApply(id, "InfiniBand", infiniband, "InfiniBand"),
      DoesNotApply(id, "not asked for", Written({program}), "does not ask for data centre bridging",
                   {.profile = Profile{.name = "asks-nothing"}})};
}

}  // namespace rdmaready
