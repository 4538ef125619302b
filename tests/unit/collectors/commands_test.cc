// SPDX-License-Identifier: Apache-2.0
#include "collectors/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/shell_words.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

Lines OfScript(const std::string& text) {
  Lines lines = CommandsToKeep("/usr/local/sbin/qos", "#!/bin/bash\n" + text);
  if (lines.empty() || lines.front() != "#!") ADD_FAILURE() << "no script";
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

TEST(CommandsToKeep, KeepsKnownToolsAlone) {
  EXPECT_THAT(
      OfScript("PATH=/sbin\nmlnx_qos -i eth2 --pfc 0,0,0,1,0,0,0,0 >/dev/null\n/sbin/dcb pfc set dev eth2 "
               "prio-pfc all:off 3:on\ncurl -u me:secret https://site\n"),
      ElementsAre("mlnx_qos -i eth2 --pfc 0,0,0,1,0,0,0,0", "dcb pfc set dev eth2 prio-pfc all:off 3:on"));
}

TEST(CommandsToKeep, ReplacesVariables) {
  EXPECT_THAT(OfScript("NIC=ens7f0\nmlnx_qos -i $NIC --trust dscp"),
              ElementsAre("mlnx_qos -i ens7f0 --trust dscp"));
  EXPECT_THAT(OfScript("for n in eth2 eth3; do mlnx_qos -i \"$n\" --trust dscp; done"),
              ElementsAre("mlnx_qos -i eth2 --trust dscp", "mlnx_qos -i eth3 --trust dscp"));
  EXPECT_THAT(OfScript("NIC=a\nNIC=b\nmlnx_qos -i ${NIC} --trust dscp"),
              ElementsAre("mlnx_qos -i * --trust dscp"));
  EXPECT_THAT(OfScript("d=$(ls /sys/class/net/$1/device)\ncma_roce_tos -d $d -t 106"),
              ElementsAre("cma_roce_tos -d * -t 106"));
  EXPECT_THAT(OfScript("mlnx_qos -i \"$2\" --trust dscp"), ElementsAre("mlnx_qos -i $2 --trust dscp"));
}

TEST(CommandsToKeep, NamesStartedScripts) {
  EXPECT_THAT(OfScript("exec /sbin/ifup-rdma \"$1\"\n"), ElementsAre("run /sbin/ifup-rdma $1"));
  EXPECT_THAT(OfScript("bash -e /opt/a.sh eth2\nrun-parts /etc/qos.d\n. /opt/b.sh"),
              ElementsAre("run /opt/a.sh eth2", "run /etc/qos.d/*", "run /opt/b.sh"));
  EXPECT_THAT(OfScript("P=/opt/site\nK=no\nfor k in a b; do test $k && K=$k; done\ncd \"$P/$K\" || exit 0\n"
                       "for s in *.sh; do ./\"$s\" >> $LOG 2>&1; done"),
              ElementsAre("run /opt/site/*/*.sh"));
  EXPECT_THAT(OfScript("sh -c 'cd /opt && ./x.sh'"), ElementsAre("run /opt/x.sh"));
}

TEST(CommandsToKeep, HidesArgumentsThatMayBeSecrets) {
  EXPECT_THAT(OfScript("/usr/bin/redis-server --requirepass s3cret\nTOKEN=K10abc\n/opt/agent $TOKEN eth2 3\n"),
              ElementsAre("run /usr/bin/redis-server * *", "run /opt/agent * eth2 3"));
  EXPECT_THAT(OfScript("cd /opt\ncat > k <<'EOF'\nMIIEvQ/kq\nmlnx_qos -i eth2 --trust dscp\nEOF\n./x.sh\n"),
              ElementsAre("run /opt/x.sh"));
  EXPECT_THAT(OfScript("/opt/a+b=c\n"), IsEmpty()) << "base64";
}

TEST(CommandsToKeep, EndsWhereTextsGrow) {
  std::string doubled = "A=xxxxxxxx\n";
  std::string nested = "for a in 1 2; do\n";
  for (char name = 'B'; name <= 'Z'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    doubled += std::string(1, name) + "=$" + before + "$" + before + "\n";
    const std::string inner(1, static_cast<char>(name + 'a' - 'A'));
    const std::string outer(1, static_cast<char>(name + 'a' - 'A' - 1));
    nested += "for " + inner + " in $" + outer + " $" + outer + "; do\n";
  }
  for (const std::string& script :
       {doubled + "mlnx_qos -i $Z --trust dscp\n", nested + "mlnx_qos -i $z --trust dscp\n"}) {
    const Lines kept = OfScript(script);
    EXPECT_FALSE(kept.empty());
    EXPECT_LE(kept.size(), 256U);
    for (const std::string& line : kept) EXPECT_LE(line.size(), 2048U);
  }
}

TEST(CommandsToKeep, ReadsTheTosThatIsWritten) {
  EXPECT_THAT(OfScript("echo 106 > /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"),
              ElementsAre("tos mlx5_0/1 106"));
  EXPECT_THAT(OfScript("cd /sys/kernel/config/rdma_cm\necho 106 > mlx5_0/ports/2/default_roce_tos"),
              ElementsAre("tos mlx5_0/2 106"));
  EXPECT_THAT(OfScript("echo 106 > /sys/kernel/config/rdma_cm/mlx5_0/ports/$P/default_roce_tos"),
              ElementsAre("tos mlx5_0 106"));
}

TEST(CommandsToKeep, ReadsTheTosThatTeeWrites) {
  constexpr const char* kCd = "cd /sys/kernel/config/rdma_cm; ";
  const auto kept = [&](const char* rest) { return OfScript(std::string(kCd) + rest); };
  EXPECT_THAT(kept("echo 106 | tee */ports/*/default_roce_tos"), ElementsAre("tos * 106"));
  EXPECT_THAT(kept("TOS=24; echo $TOS | tee mlx5_0/ports/1/default_roce_tos mlx5_1/ports/1/default_roce_tos"),
              ElementsAre("tos mlx5_0/1 24", "tos mlx5_1/1 24"));
  EXPECT_THAT(kept("cat /etc/tos | tee */ports/*/default_roce_tos"), ElementsAre("tos * *"));
  EXPECT_THAT(kept("echo 106; ls; tee */ports/*/default_roce_tos < /etc/tos"), ElementsAre("tos * *"));
  EXPECT_THAT(kept("for t in 24 106; do echo $t | tee */ports/*/default_roce_tos; done"),
              ElementsAre("tos * *"));
}

constexpr const char* kTosPath = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos";

TEST(CommandsToKeep, ReadsTheTosOfEachFormOfRedirection) {
  const std::string path(kTosPath);
  for (const std::string& text :
       {"echo 106 >" + path, "echo 106 >|" + path, "> " + path + " echo 106", "echo -n 106 >& " + path,
        "printf 106 >" + path, "printf '106\\n' > " + path, "printf \"106\\n\" > " + path,
        "printf '%s\\n' 106 > " + path, "printf 106 | tee " + path, "printf '%d\\n' 106 | sudo tee " + path,
        "echo 106 2>/dev/null | timeout 5 tee " + path + " >/dev/null", "tee " + path + " <<< 106",
        "sh -c 'echo 106 > " + path + "'", "timeout 5 sh -c \"echo 106 >" + path + "; true\"",
        "sudo -n sh -c 'echo 106 > " + path + "; true'", "eval 'echo 106 >" + path + "; true'",
        "flock /run/tos.lock -c 'echo 106 > " + path + "; true'"})
    EXPECT_THAT(OfScript(text), ElementsAre("tos mlx5_0/1 106")) << text;
}

TEST(CommandsToKeep, DoesNotGuessTheTosThatIsWritten) {
  const std::string path(kTosPath);
  for (const std::string& text :
       {"head -n 1 /etc/tos > " + path, "echo 0106 > " + path, "echo 0x6a > " + path, "echo 106>" + path,
        "echo 106 | sed s/1/2/ | tee " + path, "echo 106; tee " + path + " < /etc/tos"})
    EXPECT_THAT(OfScript(text), ElementsAre("tos mlx5_0/1 *")) << text;
}

TEST(CommandsToKeep, CountsAWriteOfTheTosThatItCannotReadAsUnknown) {
  const std::string assigned = std::string("f=") + kTosPath + "; echo 106 > $f";
  EXPECT_THAT(OfScript("sh -c '" + assigned + "'"), ElementsAre("tos * *"));
  EXPECT_THAT(OfScript("f=/tmp/a\n" + assigned), ElementsAre("tos * *"));
  EXPECT_THAT(OfScript("# echo 106 > " + std::string(kTosPath)), IsEmpty());
  EXPECT_THAT(CommandsToKeep("/opt/a.py", std::string("#!/usr/bin/python3\nopen('") + kTosPath + "', 'w')\n"),
              ElementsAre("#!", "tos * *"));
}

TEST(CommandsToKeep, ReadsTheTosOfRulesAndUnits) {
  const std::string write = std::string("echo 106 >") + kTosPath;
  const auto rule = [](const std::string& text) {
    return CommandsToKeep("/etc/udev/rules.d/90.rules", "ACTION==\"add\", " + text + "\n");
  };
  EXPECT_THAT(rule("RUN+=\"/bin/sh -c \\\"" + write + "\\\"\""), ElementsAre("tos mlx5_0/1 106"));
  EXPECT_THAT(rule("\\\n  RUN+=\"/bin/sh -c '" + write + "'\""), ElementsAre("tos mlx5_0/1 106"));
  EXPECT_THAT(rule("RUN+=\"/usr/bin/timeout 5 /opt/qos.sh %k\""), ElementsAre("run /opt/qos.sh *"));
  EXPECT_THAT(CommandsToKeep("/etc/systemd/system/a.service",
                             "[Service]\n  ExecStart=/bin/sh -c \\\n   '" + write + "'\n"),
              ElementsAre("tos mlx5_0/1 106"));
}

TEST(CommandsToKeep, FollowsAScriptThatAnotherProgramStarts) {
  EXPECT_THAT(OfScript("/usr/bin/env -i A=b nice -n 5 /opt/a.sh eth2\nsudo -u root /opt/b.sh\n"
                       "systemd-run --no-block --unit x -p Nice=5 /opt/c.sh\ncommand -v /opt/d.sh\n"),
              ElementsAre("run /opt/a.sh eth2", "run /opt/b.sh", "run /opt/c.sh"));
}

TEST(CommandsToKeep, ReadsUnitsRulesAndTables) {
  EXPECT_THAT(
      CommandsToKeep("/etc/systemd/system/a.service",
                     "[Service]\nExecStart=-/bin/bash /usr/local/sbin/qos.sh\nExecStart=/usr/sbin/devlink dev "
                     "param set pci/0000:3b:00.0 name enable_roce value false cmode driverinit\n"),
      ElementsAre("run /usr/local/sbin/qos.sh",
                  "devlink dev param set pci/0000:3b:00.0 name enable_roce value false cmode driverinit"));
  EXPECT_THAT(CommandsToKeep("/etc/udev/rules.d/90.rules",
                             "ACTION==\"add\", RUN+=\"/bin/sh -c 'echo 106 > "
                             "/sys/kernel/config/rdma_cm/%k/ports/1/default_roce_tos'\"\n"),
              ElementsAre("tos * 106"));
  EXPECT_THAT(
      CommandsToKeep("/etc/network/interfaces",
                     "source /etc/network/interfaces.d/*\niface eth2 inet static\n  address 10.0.0.1/24\n"
                     "  post-up /opt/qos $IFACE\n"),
      ElementsAre("run /etc/network/interfaces.d/*", "run /opt/qos eth2"));
  EXPECT_THAT(CommandsToKeep("/etc/network/interfaces", "source-directory interfaces.d\n"),
              ElementsAre("run /etc/network/interfaces.d/*"));
  EXPECT_THAT(CommandsToKeep("/etc/cron.hourly/roce", "#!/bin/sh\nmlnx_qos -i eth2 --trust dscp\n"),
              ElementsAre("#!", "mlnx_qos -i eth2 --trust dscp"));
  EXPECT_THAT(CommandsToKeep("/etc/crontab", "@reboot root /opt/qos.sh\n"), ElementsAre("run /opt/qos.sh"));
  EXPECT_THAT(
      CommandsToKeep("/etc/modprobe.d/a.conf", "# no RDMA\nblacklist irdma\ninstall irdma /bin/false\n"),
      ElementsAre("blacklist irdma", "install irdma /bin/false"));
  EXPECT_THAT(
      CommandsToKeep("/etc/modprobe.d/b.conf",
                     "options mlx4_core log_num_mgm_entry_size=-1 port_type_array=2,2\noptions kvm a=1\n"
                     "options mlx4_core port_type_array=$(id)\noptions mlx4_core\n"),
      ElementsAre("options mlx4_core port_type_array=2,2"));
}

TEST(CommandsToKeep, SaysThatTheFileHasMore) {
  const std::string script = "#!/bin/sh\nmlnx_qos -i eth2 --trust dscp\n";
  EXPECT_THAT(CommandsToKeep("/opt/a", script, true),
              ElementsAre("#!", "mlnx_qos -i eth2 --trust dscp", "cut"));
  EXPECT_THAT(CommandsToKeep("/etc/sysctl.d/a.conf", "vm.swappiness=1\n", true), ElementsAre("cut"));
  EXPECT_THAT(CommandsToKeep("/usr/sbin/a",
                             "\x7f"
                             "ELF",
                             true),
              IsEmpty())
      << "a program";
  std::string many;
  for (int i = 0; i < 256; ++i) many += "net.ipv4.conf.eth" + std::to_string(i) + ".rp_filter=2\n";
  EXPECT_EQ(CommandsToKeep("/etc/sysctl.d/a.conf", many).size(), 256U);
  EXPECT_NE(CommandsToKeep("/etc/sysctl.d/a.conf", many).back(), "cut");
  many += "net.ipv4.conf.all.rp_filter=2\n";
  EXPECT_EQ(CommandsToKeep("/etc/sysctl.d/a.conf", many).size(), 257U);
  EXPECT_EQ(CommandsToKeep("/etc/sysctl.d/a.conf", many).back(), "cut");
}

std::string InAShell(const std::string& command) {
  std::string quoted;
  for (const char one : command) {
    if (one == '"' || one == '\\') quoted += '\\';
    quoted += one;
  }
  return "sh -c \"" + quoted + "\"";
}

TEST(CommandsToKeep, SaysThatACommandIsLeftOut) {
  std::string rows;
  for (int dscp = 0; dscp < 64; ++dscp)
    rows += " 0" + std::to_string(dscp) + ":00000" + std::to_string(dscp % 8);
  EXPECT_THAT(OfScript("dcb app replace dev eth2 dscp-prio" + rows),
              ElementsAre("dcb app replace dev eth2 dscp-prio" + rows));
  std::string names;
  for (int i = 0; i < 200; ++i) names += " interface-name-" + std::to_string(i);
  EXPECT_THAT(OfScript("mlnx_qos" + names), ElementsAre("cut")) << "a line of more than 2 KiB";
  std::string words;
  for (int i = 0; i < 300; ++i) words += " 1";
  EXPECT_EQ(OfScript("mlnx_qos" + words).back(), "cut") << "more than 256 words";
  EXPECT_THAT(OfScript("/opt/" + std::string(300, 'a') + " eth2"), ElementsAre("cut"));
  const std::string three = InAShell(InAShell(InAShell("/opt/a.sh eth2")));
  EXPECT_THAT(OfScript(three), ElementsAre("run /opt/a.sh eth2"));
  EXPECT_THAT(OfScript(InAShell(three)), ElementsAre("cut")) << "shells four deep";
}

TEST(CommandsToKeep, KeepsNothingOfABinary) {
  EXPECT_THAT(CommandsToKeep("/usr/sbin/dcb", std::string_view("\x7f"
                                                               "ELF dcb pfc set dev eth2\n")),
              IsEmpty());
  EXPECT_THAT(CommandsToKeep("/opt/a.py", "#!/usr/bin/python3\nmlnx_qos -i eth2 --trust dscp\n"),
              ElementsAre("#!"));
}

TEST(ShellWords, SurvivesTextsThatAreCutShort) {
  for (const char* text : {"'", "\"", "$(", "${", "\\", ">", "a '", "$", "for", "for a", "cd", "sh -c", "`",
                           "1>&", "<<", "a << E", "<<<"}) {
    EXPECT_LE(CommandsOf(text).size(), 1U) << text;
    OfScript(text);
  }
}

}  // namespace
}  // namespace rdmaready
