// SPDX-License-Identifier: Apache-2.0
// What moving files of a share showed: that they went over RDMA, and whole.
#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/probe/families.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kShareClient = "the kernel's SMB client (/proc/fs/cifs/DebugData)";

Verdict Mounted(const ProbeView& view) {
  Verdict verdict = JudgeStep(view, kStepShareMount, "mounted over RDMA, for this test alone",
                              "a mount over RDMA", "the kernel's SMB client");
  const ProbeStep* step = view.Step(kStepShareMount);
  if (step != nullptr && step->failure.kind == FailureKind::kSetup) {
    verdict.outcome = Outcome::kUnknown;
    verdict.fix = "modprobe cifs  # on the probing host, and run its agent as root";
  }
  if (view.Value("share-client-smb-direct") == "no") {
    verdict.observed = "the client was built without SMB Direct (CONFIG_CIFS_SMB_DIRECT)";
    verdict.outcome = Outcome::kFail;
    verdict.fix =
        "grep CIFS_SMB_DIRECT /boot/config-$(uname -r)  # take a kernel that has it, or build the module cifs "
        "with it";
  }
  return verdict;
}

Verdict OverRdma(const ProbeView& view) {
  Verdict verdict{
      .expected = "an RDMA connection, no new TCP connection, and an RDMA port that counted the bytes",
      .source = Cat(kShareClient, ", counters of ", view.result.local_port, ", /proc/net/tcp")};
  const std::optional<std::uint64_t> moved = view.Number("share-moved-bytes");
  const std::optional<std::uint64_t> counted = view.Number("share-port-bytes");
  const std::optional<std::uint64_t> tcp = view.Number("share-new-tcp-connections");
  const std::string_view connection = view.Value("share-connection");
  if (!moved || *moved == 0 || connection.empty() || !tcp) {
    verdict.observed = !moved || *moved == 0 ? "no file was moved" : "the client's state could not be read";
    return verdict;
  }
  const bool short_count = counted && *counted < *moved;
  const bool proven = connection == "rdma" && *tcp == 0 && !short_count;
  // Two witnesses of three, where the driver counts nothing (siw).
  verdict.outcome = !proven ? Outcome::kFail : counted ? Outcome::kPass : Outcome::kWarn;
  verdict.observed =
      Cat(VolumeText(*moved), " moved on ", connection == "rdma" ? "an RDMA" : "a TCP", " connection, ",
          *tcp == 0 ? "no" : std::to_string(*tcp), " new TCP connection to port 445, ");
  verdict.observed +=
      counted ? Cat("the port counted packets for ", *counted >= *moved ? "all of them" : VolumeText(*counted))
              : "the port counts no traffic";
  return verdict;
}

// "write-512k 61 MB/s", "read-1k 4000 operations/s, p50 210 us".
std::string ShapeText(const TransferResult& result) {
  constexpr std::string_view kPrefix = "share-";
  const std::string_view name = result.case_name;
  const std::string_view shape = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  if (result.message_bytes >= 65'536) return Cat(shape, " ", RateText(result.throughput_bytes_per_s));
  return Cat(shape, " ", result.operations_per_s, " operations/s, p50 ", DurationText(result.latency.p50_ns));
}

Verdict Files(const ProbeView& view) {
  std::string observed;
  std::uint64_t compared = 0;
  for (const TransferResult& result : view.result.transfers) {
    observed += Cat(observed.empty() ? "" : "; ", ShapeText(result));
    compared += result.bytes_verified;
  }
  Verdict verdict =
      JudgeStep(view, kStepShareFiles, std::move(observed), "every byte read back as it was written",
                "direct I/O on a file of the share, 512 KiB, 8 KiB and 1 KiB");
  if (verdict.outcome == Outcome::kPass && compared == 0) verdict.outcome = Outcome::kUnknown;
  const std::string_view left = view.Value("share-file-left");
  if (verdict.outcome == Outcome::kPass && !left.empty()) {
    verdict.outcome = Outcome::kWarn;
    verdict.observed = Cat("the test's own file could not be removed: ", left);
    verdict.fix = "rm .rdmaready-*.tmp  # on the share: this user may create files there and not delete them";
  }
  return verdict;
}

Verdict DirectPlacement(const ProbeView& view) {
  Verdict verdict{.expected = "neither signed nor encrypted", .source = std::string(kShareClient)};
  const std::string_view is_signed = view.Value("share-signed");
  if (is_signed.empty()) {
    verdict.observed = "not told";
    return verdict;
  }
  const bool encrypted = view.Value("share-encrypted") == "yes";
  verdict.outcome = is_signed == "yes" || encrypted ? Outcome::kWarn : Outcome::kPass;
  verdict.observed = encrypted            ? "encrypted: all data is copied through messages"
                     : is_signed == "yes" ? "signed: all data is copied through messages"
                                          : "neither signed nor encrypted";
  return verdict;
}

Verdict Announced(const ProbeView& view) {
  Verdict verdict{.expected = Cat(view.result.address, " announced as RDMA-capable"),
                  .source = "FSCTL_QUERY_NETWORK_INTERFACE_INFO, asked by the kernel's SMB client"};
  const std::string_view offers = view.Value("share-server-interfaces");
  const std::string_view announced = view.Value("share-address-announced-rdma");
  if (offers.empty()) {
    verdict.observed = "not told";
    return verdict;
  }
  verdict.outcome = announced == "yes" ? Outcome::kPass : Outcome::kWarn;
  verdict.observed = announced == "yes"  ? Cat("announced as RDMA-capable, among: ", offers)
                     : announced == "no" ? Cat("announced without RDMA: ", offers)
                                         : Cat("not announced: ", offers);
  return verdict;
}

}  // namespace

std::vector<ProbeCheck> ShareChecks() {
  const std::vector<std::string_view> way{"server.address",        "server.route",
                                          "server.tcp-445",        "server.rdma-listener",
                                          "server.smbd-negotiate", "server.smb2-over-rdma"};
  std::vector<std::string_view> mounted = way;
  mounted.push_back("share.mount");
  return {
      {.id = "share.mount",
       .rung = Rung::kShare,
       .title = "The kernel's own client mounts the share over RDMA",
       .why = "It is what a user of the share does; with the option rdma it never falls back to TCP",
       .fix = "dmesg | grep -i cifs  # the reason in full: wrong credentials, another share name, or a client "
              "without "
              "SMB Direct",
       .blocking = true,
       .depends_on = way,
       .judge = &Mounted},
      {.id = "share.files",
       .rung = Rung::kShare,
       .title = "Files of the share are written and read back whole",
       .why = "What comes back otherwise than it was written is worse than what does not come back",
       .fix = "dmesg | grep -i -e cifs -e smb  # here and on the server: what the two kernels say of the "
              "connection",
       .blocking = true,
       .depends_on = mounted,
       .judge = &Files},
      {.id = "share.over-rdma",
       .rung = Rung::kShare,
       .title = "The bytes of the share went over RDMA, and not over TCP",
       .why =
           "SMB falls back to TCP without a word: only what the client, the port and the TCP connections say "
           "together shows which way the bytes took",
       .fix = "rdmaready probe smb {target}  # what lies between this host and SMB over RDMA",
       .blocking = true,
       .proof = true,
       .depends_on = mounted,
       .judge = &OverRdma},
      {.id = "share.direct-placement",
       .rung = Rung::kShare,
       .title = "Data is placed directly by RDMA reads and writes",
       .why = "A Linux client that signs or encrypts copies all data through messages of at most 1364 bytes: "
              "it still is "
              "RDMA, and costs CPU like TCP",
       .fix = "cat /proc/fs/cifs/SecurityFlags  # here: 0x1000 in it requires signing; on the server: server "
              "signing, smb3 "
              "encryption in /etc/ksmbd/ksmbd.conf",
       .depends_on = mounted,
       .judge = &DirectPlacement},
      {.id = "share.announced",
       .rung = Rung::kShare,
       .title = "The server announces this address as RDMA-capable",
       .why = "Multichannel clients (every Windows one) go by RDMA to those addresses only",
       .fix =
           "ip -br address; rdma link show  # on the server: the address must stand on the RDMA device's own "
           "interface, not on a bridge, bond or VLAN above it (before Linux 6.18), and ksmbd.conf's interfaces "
           "must "
           "name it",
       .judge = &Announced},
  };
}

}  // namespace rdmaready
