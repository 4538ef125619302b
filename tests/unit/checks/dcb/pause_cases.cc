// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

std::vector<CheckCase> PauseItselfRows() {
  const Profile open = Asking([](Profile& profile) { profile.pfc.reset(); });
  const Profile lossy = Asking([](Profile& profile) { profile.pfc = std::vector<std::uint8_t>{}; });
  const auto none = [](Netdev& netdev) { netdev.dcb.pfc = Pfc{.capability = 8}; };
  const auto paused = [&none](Netdev& netdev) {
    none(netdev);
    netdev.pause = Pause{.rx = true, .tx = true};
  };
  const auto denied = [](Netdev& netdev) {
    netdev.dcb.pfc = Denied();
    netdev.pause = Denied();
  };
  const auto negotiated = [](Netdev& netdev) { netdev.pause = Pause{.autoneg = true}; };
  return {
      Passes("pause.none", "PFC", GoodHost(), "PFC on 3"),
      Passes("pause.none", "link-level pause", WithNetdev(paused), "link-level pause is on"),
      Fails("pause.none", "neither", WithNetdev(none), "neither",
            {.fix = "dcb pfc set dev dcb0 prio-pfc all:off 3:on"}),
      DoesNotApply("pause.none", "neither, on ice, nothing asked", On("ice", none), "does not ask",
                   {.profile = open}),
      IsUnknown("pause.none", "denied", WithNetdev(denied), "not permitted"),
      DoesNotApply("pause.none", "nothing asked", WithNetdev(none), "does not ask", {.profile = open}),
      DoesNotApply("pause.none", "off on purpose", On("ice", none), "wants PFC to be off", {.profile = lossy}),
      DoesNotApply("pause.none", "a driver with neither", WithNetdev([](Netdev& netdev) {
                     netdev.dcb.pfc = Missing(kUnsupported);
                     netdev.pause = Missing(kUnsupported);
                   }),
                   "has neither"),
      Passes("pause.autoneg", "not", GoodHost(), "is not negotiated"),
      Fails("pause.autoneg", "negotiated", WithNetdev(negotiated), "is negotiated",
            {.fix = "ethtool -A dcb0 autoneg off rx off tx off"}),
      IsUnknown("pause.autoneg", "denied", WithNetdev([](Netdev& netdev) { netdev.pause = Denied(); }),
                "not permitted"),
      DoesNotApply("pause.autoneg", "mlx5", On("mlx5_core", negotiated), "negotiates no pause"),
      DoesNotApply("pause.autoneg", "ice", On("ice", negotiated), "the link's autonegotiation")};
}

std::vector<CheckCase> PauseRoomRows() {
  const auto pause = [](Fact<Pause> now) { return WithNetdev([&now](Netdev& netdev) { netdev.pause = now; }); };
  Profile hundreds_of_metres = VirtualFabricProfile();
  hundreds_of_metres.cable_metres = 300;
  Profile far = VirtualFabricProfile();
  far.cable_metres = 1400;
  const Facts on_ice = WithNetdev([](Netdev& netdev) {
    netdev.driver = "ice";
    netdev.pause = Pause{.autoneg = true, .rx = true, .tx = true};
  });
  return {Passes("pause.off-with-pfc", "off", GoodHost(), "off both ways"),
          Fails("pause.off-with-pfc", "on", pause(Pause{.rx = true, .tx = true}), "on both ways",
                {.fix = "ethtool -A dcb0 autoneg off rx off tx off"}),
          Fails("pause.off-with-pfc", "on, of a driver that sets no autonegotiation with it", on_ice,
                "on both ways", {.fix = "ethtool -A dcb0 rx off tx off"}),
          Fails("pause.off-with-pfc", "one way", pause(Pause{.rx = true}), "honoured, not sent"),
          IsUnknown("pause.off-with-pfc", "denied", pause(Denied()), "not permitted"),
          DoesNotApply("pause.off-with-pfc", "not offered", pause(kUnsupported), "no link-level pause"),
          DoesNotApply("pause.off-with-pfc", "not asked", pause(Pause{.rx = true}), "does not ask",
                       {.profile = PfcLossy()})};
}

std::vector<CheckCase> PauseStopsAllRows() {
  const Profile open = Asking([](Profile& profile) { profile.pfc.reset(); });
  const auto on = [](std::string_view driver, Fact<PauseFrames> frames) {
    return On(driver, [&frames](Netdev& netdev) {
      netdev.pause = Pause{.rx = true, .tx = true};
      netdev.link.pause_frames = frames;
    });
  };
  const PauseFrames many{.sent = 41'200, .received = 132'004'113};
  return {
      Passes("pause.stops-all", "off", GoodHost(), "link-level pause is off", {.profile = open}),
      Passes("pause.stops-all", "on, and nobody pauses", on("mlx5_core", PauseFrames{}),
             "link-level pause is on", {.profile = open}),
      Fails("pause.stops-all", "it stops the port", on("mlx5_core", many),
            "link-level pause is on, 132004113 frames of it received and 41200 sent since boot",
            {.fix = "ethtool -A dcb0 autoneg off rx off tx off", .profile = open}),
      IsUnknown("pause.stops-all", "denied", WithNetdev([](Netdev& netdev) { netdev.pause = Denied(); }),
                "not permitted", {.profile = open}),
      IsUnknown("pause.stops-all", "frames denied", on("mlx5_core", Denied()), "not permitted",
                {.profile = open}),
      DoesNotApply("pause.stops-all", "a lossless profile", on("mlx5_core", many), "see pause.off-with-pfc"),
      DoesNotApply("pause.stops-all", "ice", on("ice", many), "flow control", {.profile = open}),
      DoesNotApply("pause.stops-all", "not counted", on("mlx5_core", kUnsupported), "counts no frames",
                   {.profile = open}),
      Fails("pause.off-with-pfc", "on, with its frames", on("mlx5_core", many),
            "on both ways, 132004113 frames of it received")};
}

}  // namespace

std::vector<CheckCase> PauseCases() {
  return Joined({PauseItselfRows(), PauseRoomRows(), PauseStopsAllRows()});
}

}  // namespace rdmaready
