// SPDX-License-Identifier: Apache-2.0
// drift.foreign-writer.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

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

void AddDriftCases(std::vector<CheckCase>& cases) {
  const DcbWrite program = By(DcbWriter::kProcess, {"dcb (process 712)"});
  DcbWrite again = By(DcbWriter::kProcess, {"lldpad (process 612)"});
  again.changed.clear();
  again.times = 3;
  const Facts unannounced = Heard(DcbWrites{.listened_ms = 35'000, .unannounced = {"DCBX mode", "ETS"}});
  const Missing no_dcb{Missing::Kind::kUnsupported, "there is no DCB"};
  const Facts infiniband = WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
  const char* id = "drift.foreign-writer";
  cases.insert(
      cases.end(),
      {{id, "quiet", Written({}), kPass, "nobody wrote in 35 s"},
       {id, "a program", Written({program}), kFail, "PFC 3 -> 4 by a process, probably dcb (process 712)",
        "ps -C lldpad"},
       {id, "a program that is gone", Written({By(DcbWriter::kProcess)}), kFail,
        "by a process that could not be named"},
       {id, "one of two programs", Written({By(DcbWriter::kProcess, {"dcb (process 1)", "ip (process 2)"})}),
        kFail, "probably dcb (process 1) or ip (process 2)"},
       {id, "lldpad, the same again", Written({again}), kFail,
        "written again, unchanged (3 times) by a process, probably lldpad (process 612)",
        "systemctl disable --now lldpad"},
       {id, "the driver", Written({By(DcbWriter::kDriver)}), kFail, "the NIC's driver, for its firmware",
        "dcb dcbx set dev dcb0 host ieee"},
       {id, "nobody knows who", Written({By(DcbWriter::kUnknown)}), kFail, "somebody unknown"},
       {id, "many", Written({program, again, program, again}), kFail, "; and 2 more"},
       {id, "without a word", unannounced, kFail, "DCBX mode, ETS changed, and the kernel did not announce it"},
       {id, "more than could be kept", Heard(DcbWrites{.listened_ms = 35'000, .lost = true}), kUnknown,
        "more than could be kept"},
       {id, "denied", Heard(Denied()), kUnknown, "not permitted"},
       {id, "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), kUnknown, "not permitted"},
       {id, "not watched", GoodHost(), kNotApplicable, "not watched (--watch SECONDS)"},
       {id, "no DCB", Heard(no_dcb), kNotApplicable, "there is no DCB"},
       {id, "InfiniBand", infiniband, kNotApplicable, "InfiniBand"},
       {.id = id,
        .name = "not asked for",
        .host = Written({program}),
        .expected = kNotApplicable,
        .observed = "does not ask for data centre bridging",
        .profile = Profile{.name = "asks-nothing"}}});
}

}  // namespace rdmaready
