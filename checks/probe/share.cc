// SPDX-License-Identifier: Apache-2.0
// What moving files of a share showed: that they went over RDMA, and whole.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/probe/answers.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kShareClient = "the kernel's SMB client (/proc/fs/cifs/DebugData)";

Verdict JudgeShareMount(const ProbeView& view) {
  Verdict verdict =
      JudgeLocalStep(view, kStepShareMount, "mounted over RDMA, for this test alone", "a mount over RDMA",
                     "the kernel's SMB client",
                     Fix("modprobe cifs")
                         .Do("run the prover, or the agent that makes the proof, as root of the probing host"));
  if (view.answers.share.client_smb_direct == false) {
    verdict.observed = "the client was built without SMB Direct (CONFIG_CIFS_SMB_DIRECT)";
    verdict.outcome = Outcome::kFail;
    verdict.fix = Fix("grep CIFS_SMB_DIRECT /boot/config-$(uname -r)")
                      .Do("take a kernel with CONFIG_CIFS_SMB_DIRECT")
                      .Or("build the module cifs with it");
  }
  return verdict;
}

Verdict JudgeShareOverRdma(const ProbeView& view) {
  const ShareAnswers& share = view.answers.share;
  Verdict verdict{
      .expected = "an RDMA connection, and an RDMA port that counted the bytes",
      .source = fmt::format("{}, counters of {}, /proc/net/tcp", kShareClient, view.result.local_port)};
  const std::uint64_t moved = share.moved_bytes.value_or(0);
  if (moved == 0 || share.connection == ShareAnswers::Connection::kUnknown || !share.new_tcp_connections) {
    verdict.observed = moved == 0 ? "no file was moved" : "the client's state could not be read";
    return verdict;
  }
  const std::optional<std::uint64_t> counted = share.port_bytes;
  const std::uint64_t tcp = *share.new_tcp_connections;
  const bool by_rdma = share.connection == ShareAnswers::Connection::kRdma;
  const bool proven = by_rdma && (!counted || *counted >= moved);
  // Two witnesses of three, where the driver counts nothing (siw). A new TCP connection may be anybody's: it
  // speaks against RDMA only where the port does not speak for it.
  verdict.outcome = !proven    ? Outcome::kFail
                    : counted  ? Outcome::kPass
                    : tcp == 0 ? Outcome::kWarn
                               : Outcome::kUnknown;
  verdict.observed =
      fmt::format("{} moved on {} connection, {} new TCP connection to port 445{}, {}", VolumeText(moved),
                  by_rdma ? "an RDMA" : "a TCP", tcp == 0 ? "no" : std::to_string(tcp),
                  tcp > 0 && proven ? " (of somebody else, or of this mount)" : "",
                  !counted            ? "the port counts no traffic"
                  : *counted >= moved ? "the port counted packets for all of them"
                                      : fmt::format("the port counted packets for {}", VolumeText(*counted)));
  return verdict;
}

// "write-512k 61 MB/s", "read-1k 4000 operations/s, p50 210 us".
std::string ShareShapeText(const TransferResult& result) {
  constexpr std::string_view kPrefix = "share-";
  const std::string_view name = result.case_name;
  const std::string_view shape = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  if (result.message_bytes >= 65'536)
    return fmt::format("{} {}", shape, RateText(result.throughput_bytes_per_s));
  return fmt::format("{} {} operations/s, p50 {}", shape, result.operations_per_s,
                     DurationText(result.latency.p50_ns));
}

Verdict JudgeShareFiles(const ProbeView& view) {
  std::vector<std::string> shapes;
  std::uint64_t compared = 0;
  for (const TransferResult& result : view.result.transfers) {
    shapes.push_back(ShareShapeText(result));
    compared += result.bytes_verified;
  }
  Verdict verdict = JudgeStep(view, kStepShareFiles, fmt::format("{}", fmt::join(shapes, "; ")),
                              "every byte read back as it was written",
                              "direct I/O on a file of the share, 512 KiB, 8 KiB and 1 KiB");
  if (verdict.outcome == Outcome::kPass && compared == 0) verdict.outcome = Outcome::kUnknown;
  const std::optional<std::string>& left = view.answers.share.file_left;
  if (verdict.outcome == Outcome::kPass && left) {
    verdict.outcome = Outcome::kWarn;
    verdict.observed = fmt::format("the test's own file could not be removed: {}", *left);
    verdict.fix = Fix("rm .rdmaready-*.tmp")
                      .Because("this user may create files there, and not delete them")
                      .Caution("run it in the folder of the share, as a user that may delete");
  }
  return verdict;
}

Verdict JudgeSharePlacement(const ProbeView& view) {
  constexpr std::string_view kExpected = "neither signed nor encrypted";
  const ShareAnswers& share = view.answers.share;
  const bool encrypted = share.encrypted == true;
  const bool known = share.is_signed && share.encrypted;
  if (!known && !encrypted && share.is_signed != true) return NotTold(kShareClient, std::string(kExpected));
  const bool is_signed = share.is_signed == true;
  return {.outcome = is_signed || encrypted ? Outcome::kWarn : Outcome::kPass,
          .observed = encrypted   ? "encrypted: all data is copied through messages"
                      : is_signed ? "signed: all data is copied through messages"
                                  : "neither signed nor encrypted",
          .expected = std::string(kExpected),
          .source = std::string(kShareClient)};
}

Verdict JudgeShareAnnounced(const ProbeView& view) {
  constexpr std::string_view kInquiry = "FSCTL_QUERY_NETWORK_INTERFACE_INFO, asked by the kernel's SMB client";
  const std::string expected = fmt::format("{} announced as RDMA-capable", view.result.address);
  const std::string_view offers = TextOf(view.answers.share.server_interfaces);
  if (offers.empty()) return NotTold(kInquiry, expected);
  const std::optional<bool> announced = view.answers.share.address_announced_rdma;
  return {.outcome = announced == true ? Outcome::kPass : Outcome::kWarn,
          .observed = fmt::format("{}: {}",
                                  !announced   ? "not announced"
                                  : *announced ? "announced as RDMA-capable, among"
                                               : "announced without RDMA",
                                  offers),
          .expected = expected,
          .source = std::string(kInquiry)};
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
       .fix = Fix("dmesg | grep -i cifs")
                  .Because("wrong credentials, another share name, or a client without SMB Direct",
                           Certainty::kPossible)
                  .Do("look for the reason in full"),
       .blocking = true,
       .depends_on = way,
       .judge = &JudgeShareMount},
      {.id = "share.files",
       .rung = Rung::kShare,
       .title = "Files of the share are written and read back whole",
       .why = "What comes back otherwise than it was written is worse than what does not come back",
       .fix = Fix("dmesg | grep -i -e cifs -e smb")
                  .Caution("run the command here and on the server")
                  .Do("see what the two kernels say of the connection"),
       .blocking = true,
       .depends_on = mounted,
       .judge = &JudgeShareFiles},
      {.id = "share.over-rdma",
       .rung = Rung::kShare,
       .title = "The bytes of the share went over RDMA, and not over TCP",
       .why =
           "SMB falls back to TCP without a word: only what the client, the port and the TCP connections say "
           "together shows which way the bytes took",
       .fix = Fix("rdmaready probe smb {target}")
                  .Because("the client fell back to TCP")
                  .Do("repair the first step that the probe shows as failed"),
       .blocking = true,
       .proof = true,
       .depends_on = mounted,
       .judge = &JudgeShareOverRdma},
      {.id = "share.direct-placement",
       .rung = Rung::kShare,
       .title = "Data is placed directly by RDMA reads and writes",
       .why = "A Linux client that signs or encrypts copies all data through messages of at most 1364 bytes: "
              "it still is "
              "RDMA, and costs CPU like TCP",
       .fix =
           Fix("cat /proc/fs/cifs/SecurityFlags")
               .Because("this client or the server requires signing or encryption", Certainty::kCertain)
               .Caution("without signing and encryption nothing shows that data was changed or read on its way")
               .Do("here: 0x1000 in the flags requires signing")
               .Do("on the server: see server signing and smb3 encryption in /etc/ksmbd/ksmbd.conf"),
       .depends_on = mounted,
       .judge = &JudgeSharePlacement},
      {.id = "share.announced",
       .rung = Rung::kShare,
       .title = "The server announces this address as RDMA-capable",
       .why = "Multichannel clients (every Windows one) go by RDMA to those addresses only",
       .fix = OnServer("ip -br address; rdma link show")
                  .Because(
                      "the address stands on a bridge, bond or VLAN above the RDMA device (before Linux 6.18)",
                      Certainty::kPossible)
                  .Do("move the address from the bridge, bond or VLAN to the RDMA device's own interface")
                  .Do("name the interface in interfaces of ksmbd.conf"),
       .judge = &JudgeShareAnnounced},
  };
}

}  // namespace rdmaready
