// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "api/base/status.h"
#include "collectors/system/boot_files.h"
#include "collectors/system/dcb_keepers.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr const char* kUnit = "/etc/systemd/system/qos.service";
constexpr const char* kScript = "/usr/local/sbin/qos.sh";

FakeHost WithUnit(const std::string& script, const char* link = "qos.service") {
  FakeHost host;
  host.directories["/etc/systemd/system"] = Names{"multi-user.target.wants", "qos.service"};
  host.directories["/etc/systemd/system/multi-user.target.wants"] = Names{link};
  host.files[kUnit] = std::string("[Service]\nExecStart=/bin/bash /usr/local/sbin/qos.sh eth2\n");
  host.files[kScript] = script;
  return host;
}

TEST(ReadBootScripts, FollowsAUnit) {
  FakeHost host = WithUnit(
      "#!/bin/bash\nmlnx_qos -i $1 --pfc 0,0,0,1,0,0,0,0\ncma_roce_tos -d mlx5_0 -p 2 -t 106\ncma_roce_tos -d "
      "mlx5_0 -p 1\n");
  const BootScripts scripts = ReadBootScripts(host);
  EXPECT_THAT(FollowedPaths(scripts), ElementsAre(kScript));
  const auto write = [](const char* setting, const char* object, const char* value) {
    return BootWrite{kScript, kUnit, setting, object, value};
  };
  EXPECT_THAT(*BootWritesOf(scripts), ElementsAre(write("pfc", "eth2", "3"), write("tos", "mlx5_0/2", "106")));
  EXPECT_THAT(*ReadDcbKeepers(host, scripts), ElementsAre(kScript));
  EXPECT_THAT(*ReadTosKeepers(host, scripts), ElementsAre(kScript));
}

TEST(ReadBootScripts, IgnoresAUnitThatNothingStarts) {
  FakeHost host = WithUnit("#!/bin/bash\nmlnx_qos -i eth2 --trust dscp\n", "ssh.service");
  EXPECT_THAT(FollowedPaths(ReadBootScripts(host)), IsEmpty());
}

TEST(ReadBootScripts, ExpandsAFolder) {
  FakeHost host;
  host.files["/etc/rc.local"] = std::string("#!/bin/sh\ncd /opt/$KIND\nfor s in *.sh; do ./$s; done\n");
  host.directories["/opt"] = Names{"a", "b"};
  host.directories["/opt/a"] = Names{"1.sh", "README"};
  host.files["/opt/a/1.sh"] = std::string("#!/bin/sh\ndcb pfc set dev eth2 prio-pfc all:off 3:on 4:on\n");
  host.files["/opt/a/README"] = std::string("#!/bin/sh\ndcb pfc set dev eth2 prio-pfc all:off\n");
  EXPECT_THAT(*BootWritesOf(ReadBootScripts(host)),
              ElementsAre(BootWrite{"/opt/a/1.sh", "/etc/rc.local", "pfc", "eth2", "3,4"}));
}

TEST(ReadBootScripts, ReportsAnUnreadableScript) {
  FakeHost host = WithUnit("");
  host.files[kScript] = ErrnoStatus(EACCES, "read");
  const BootScripts scripts = ReadBootScripts(host);
  EXPECT_EQ(BootWritesOf(scripts).missing().kind, Missing::Kind::kDenied);
  EXPECT_EQ(ReadDcbKeepers(host, scripts).missing().kind, Missing::Kind::kDenied);
  EXPECT_EQ(ReadTosKeepers(host, scripts).missing().kind, Missing::Kind::kDenied);
}

TEST(ReadBootScripts, TakesAScriptThatCannotBeReadForNoAnswer) {
  for (const int error : {EIO, ESTALE, EMFILE, EFBIG}) {
    FakeHost host = WithUnit("");
    host.files[kScript] = ErrnoStatus(error, "read");
    EXPECT_FALSE(BootWritesOf(ReadBootScripts(host))) << error;
  }
  FakeHost gone = WithUnit("");
  gone.files[kScript] = ErrnoStatus(ENOENT, "read");
  EXPECT_TRUE(BootWritesOf(ReadBootScripts(gone)));
}

TEST(ReadBootScripts, ReadsNothingOutsideOfTheFoldersOfPrograms) {
  FakeHost host = WithUnit("#!/bin/sh\n/mnt/share/qos.sh\n");
  host.files["/mnt/share/qos.sh"] = std::string("#!/bin/sh\nmlnx_qos -i eth2 --trust dscp\n");
  const BootScripts scripts = ReadBootScripts(host);
  EXPECT_THAT(FollowedPaths(scripts), ElementsAre(kScript));
  EXPECT_THAT(BootWritesOf(scripts).missing().detail, testing::HasSubstr("/mnt/share/qos.sh"));
}

TEST(ReadBootScripts, KnowsWhatTheResolverHookOfIfupdownSources) {
  FakeHost host;
  host.directories["/etc/network/if-up.d"] = Names{"resolved"};
  const auto hook = [](const std::string& file) {
    return "#!/bin/sh\ninterface=$IFACE\nmystatedir=/run/network\nif [ -e \"$mystatedir/" + file +
           "-$interface\" ]; then\n  . \"$mystatedir/" + file + "-$interface\"\nfi\n";
  };
  for (const char* known : {"ifupdown-inet", "ifupdown-inet6", "isc-dhcp-v4", "isc-dhcp-v6"}) {
    host.files["/etc/network/if-up.d/resolved"] = hook(known);
    const BootScripts scripts = ReadBootScripts(host);
    EXPECT_THAT(scripts.unread, IsEmpty()) << known;
    EXPECT_THAT(*ReadDcbKeepers(host, scripts), IsEmpty()) << known;
    EXPECT_THAT(*ReadTosKeepers(host, scripts), IsEmpty()) << known;
  }
  host.files["/etc/network/if-up.d/resolved"] = hook("qos");
  EXPECT_THAT(ReadBootScripts(host).unread, ElementsAre("/run/network/qos-*"));
}

TEST(ReadBootScripts, EndsWhereScriptsStartEachOther) {
  FakeHost host = WithUnit("#!/bin/sh\n/usr/local/sbin/qos.sh $1 x\n");
  EXPECT_THAT(FollowedPaths(ReadBootScripts(host)), ElementsAre(kScript));
}

TEST(BootWritesOf, ReadsParametersAndModules) {
  FakeHost host;
  host.directories["/etc/modprobe.d"] = Names{"no.conf"};
  host.files["/etc/modprobe.d/no.conf"] =
      std::string("blacklist irdma\ninstall irdma /bin/false\noptions mlx4_core port_type_array=1,2\n");
  host.files["/etc/rc.local"] = std::string(
      "#!/bin/sh\ndevlink dev param set pci/0000:3b:00.0 name enable_roce value false cmode runtime\n");
  const auto writes = *BootWritesOf(ReadBootScripts(host));
  ASSERT_EQ(writes.size(), 4U);
  const auto types = std::ranges::find(writes, "port_type_array", &BootWrite::setting);
  ASSERT_NE(types, writes.end());
  EXPECT_EQ(types->object, "mlx4_core");
  EXPECT_EQ(types->value, "1,2");
  const auto found = std::ranges::find(writes, "enable_roce", &BootWrite::setting);
  ASSERT_NE(found, writes.end());
  EXPECT_EQ(found->object, "pci/0000:3b:00.0");
  EXPECT_EQ(found->value, "false");
  EXPECT_NE(std::ranges::find(writes, "install", &BootWrite::setting), writes.end());
}

TEST(BootWritesOf, ReadsPriorities) {
  EXPECT_EQ(PrioritiesOfMask("0,0,0,1,1,0,0,0"), "3,4");
  EXPECT_EQ(PrioritiesOfMask("0,0,0,0,0,0,0,0"), "none");
  EXPECT_EQ(PrioritiesOfMask("0,0,1"), "");
  EXPECT_EQ(PrioritiesOfMask("*"), "");
}

TEST(BootWritesOf, KeepsWhatReadableScriptsSetBesideOneThatIsNotReadable) {
  const BootScripts scripts{.scripts = {{.path = "/etc/rc.local",
                                         .started = "/etc/rc.local",
                                         .commands = {"dcb pfc set dev eth2 prio-pfc all:off 3:on"}}},
                            .gap = Missing{Missing::Kind::kDenied, "read /opt/qos.sh: Permission denied"},
                            .unread = {"/opt/qos.sh"}};
  const Fact<std::vector<BootWrite>> writes = BootWritesOf(scripts);
  ASSERT_TRUE(writes);
  ASSERT_EQ(writes->size(), 2U);
  EXPECT_EQ(writes->front().value, "3");
  EXPECT_EQ(
      writes->back(),
      (BootWrite{.file = "/opt/qos.sh", .started = "/opt/qos.sh", .setting = "unread", .value = "denied"}));
  BootScripts nothing = scripts;
  nothing.scripts.clear();
  EXPECT_EQ(BootWritesOf(nothing).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
