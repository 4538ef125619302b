// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

template <class Change>
Facts WithLimits(Change change, Transport transport = Transport::kRoce) {
  return WithPort([&](Port& port) {
    DeviceLimits limits = *port.limits;
    change(limits);
    port.limits = limits;
    port.transport = transport;
  });
}

Facts LimitsDenied(Transport transport = Transport::kRoce) {
  return WithPort([transport](Port& port) {
    port.limits = Denied();
    port.transport = transport;
  });
}

Facts OnDiskOnly(Facts host) {
  return WithModule(std::move(host), "cifs", [](KernelModule& m) { m.state = ModuleState::kInstalled; });
}

}  // namespace

std::vector<CheckCase> DeviceLimitsCases() {
  std::vector<CheckCase> cases;
  struct Number {
    std::string_view id;
    std::uint32_t DeviceLimits::*member;
    std::uint32_t pass;   // the least that passes
    std::uint32_t least;  // the least that only warns
  };
  for (const Number& number : {Number{"dev.max-qp-wr", &DeviceLimits::max_qp_wr, 1024, 384},
                               Number{"dev.max-cqe", &DeviceLimits::max_cqe, 384, 256},
                               Number{"dev.max-sge", &DeviceLimits::max_sge, 6, 6},
                               Number{"dev.max-mr", &DeviceLimits::max_mr, 1024, 64}}) {
    const auto with = [&number](std::uint32_t value) {
      return WithLimits([&](DeviceLimits& limits) { limits.*number.member = value; });
    };
    cases.push_back(
        Passes(number.id, "the least that is enough", with(number.pass), std::to_string(number.pass)));
    cases.push_back(Fails(number.id, "too little", with(number.least - 1), std::to_string(number.least - 1),
                          {.fix = "newer driver and firmware of rxe0"}));
    if (number.least < number.pass)
      cases.push_back(Warns(number.id, "little", with(number.pass - 1), std::to_string(number.pass - 1)));
    cases.push_back(IsUnknown(number.id, "denied", LimitsDenied(), "not permitted"));
    cases.push_back(DoesNotApply(number.id, "only clients on disk", OnDiskOnly(with(1)), "cifs is not loaded"));
    cases.push_back(Fails(number.id, "a profile of SMB Direct", OnDiskOnly(with(1)), "1 ",
                          {.profile = Asking([](Profile& p) { p.name = "smb-direct-roce"; })}));
    cases.push_back(
        IsUnknown(number.id, "whether there is SMB is not known", ModulesDenied(), "not permitted"));
  }
  const auto with_guid = [](Fact<std::uint64_t> guid) {
    return WithPort([&guid](Port& port) { port.node_guid = guid; });
  };
  cases.insert(cases.end(),
               {Passes("dev.guid", "good", GoodHost(), "node GUID 505400fffe000001"),
                Fails("dev.guid", "a function that was given none", with_guid(std::uint64_t{0}), "node GUID 0",
                      {.fix = "vf NUMBER mac ADDRESS"}),
                IsUnknown("dev.guid", "denied", with_guid(Denied()), "not permitted"),
                DoesNotApply("dev.guid", "iWARP",
                             WithPort([](Port& port) { port.transport = Transport::kIwarp; }), "iWARP")});
  cases.insert(cases.end(),
               {Passes("dev.fast-registration", "good", GoodHost(), "fast registration"),
                Fails("dev.fast-registration", "none",
                      WithLimits([](DeviceLimits& l) { l.fast_registration = false; }), "no fast registration"),
                IsUnknown("dev.fast-registration", "denied", LimitsDenied(), "not permitted")});
  for (const auto& [id, transport] :
       {std::pair("dev.rd-atom", Transport::kRoce), std::pair("iw.ird-ord", Transport::kIwarp)}) {
    const auto with = [t = transport](std::uint32_t answers, std::uint32_t asks) {
      return WithLimits(
          [=](DeviceLimits& limits) {
            limits.max_qp_rd_atom = answers;
            limits.max_qp_init_rd_atom = asks;
          },
          t);
    };
    const Transport other = transport == Transport::kRoce ? Transport::kIwarp : Transport::kRoce;
    cases.insert(cases.end(),
                 {Passes(id, "good", with(8, 8), "answers 8 RDMA reads at once, has 8 under way"),
                  Warns(id, "few", with(16, 7), "has 7 under way"),
                  Fails(id, "none to answer", with(0, 16), "answers 0 RDMA reads"),
                  Fails(id, "none to ask", with(16, 0), "has 0 under way"),
                  IsUnknown(id, "denied", LimitsDenied(transport), "not permitted"),
                  DoesNotApply(id, "the other transport", WithLimits([](DeviceLimits&) {}, other), "iWARP")});
  }

  return cases;
}

}  // namespace rdmaready
