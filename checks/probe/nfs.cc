// SPDX-License-Identifier: Apache-2.0
// What an NFS server's answers mean for clients that mount by RDMA.
#include <fmt/format.h>

#include <algorithm>

#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/probe/answers.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNfsRpc = "RPC over RDMA";
constexpr std::string_view kNfsClient = "this host's own NFS client";
Fix NfsClientFix() {
  return Fix("modprobe rpcrdma; dmesg | tail -n 30")
      .Because("the module of this host's client is missing, or the agent has no right to mount",
               Certainty::kPossible);
}

Verdict JudgeNfsNull(const ProbeView& view) {
  return JudgeServerStep(view, kStepNfsNull,
                         fmt::format("answers, {} credits", TextOf(view.answers.nfs.credits)),
                         "version 3 or 4 is served", kNfsRpc);
}

Verdict JudgeNfsVersions(const ProbeView& view) {
  const NfsAnswers& nfs = view.answers.nfs;
  Verdict verdict = JudgeServerStep(view, kStepNfsVersions, fmt::format("serves {}", TextOf(nfs.versions)),
                                    "version 4.1 or newer", kNfsRpc);
  if (verdict.outcome != Outcome::kPass) return verdict;
  const std::string_view newest = TextOf(nfs.newest_version);
  if (newest == "3" || newest == "4.0") verdict.outcome = Outcome::kFail;
  if (newest != "3") return verdict;
  const auto four =
      std::ranges::find_if(nfs.refused, [](const NfsRefusal& refusal) { return refusal.version == "4"; });
  verdict.observed +=
      fmt::format("; 4: {}", four == nfs.refused.end() ? std::string_view() : TextOf(four->reason));
  return verdict;
}

Verdict JudgeNfsInline(const ProbeView& view) {
  constexpr std::string_view kPrivateData = "RDMA connection manager, private data";
  constexpr std::string_view kExpected = "4096 bytes or more";
  const std::optional<std::uint64_t> bytes = view.answers.nfs.server_receive;
  if (!bytes) return NotTold(kPrivateData, std::string(kExpected));
  const bool says_so = view.answers.nfs.connect_data == true;
  return {.outcome = *bytes >= 4096 ? Outcome::kPass : Outcome::kFail,
          .observed = fmt::format("{} bytes{}", *bytes, says_so ? "" : ", because the server says nothing"),
          .expected = std::string(kExpected),
          .source = std::string(kPrivateData)};
}

Fix NfsMountFix(const ProbeView& view) {
  const ProbeStep* step = view.Step(kStepNfsMount);
  if (step == nullptr || step->failure.kind != FailureKind::kRejected) return {};
  return OnServer("exportfs -v")
      .Because("the path is not exported to this host")
      .Do("export it, with the option insecure where the client's RDMA port is not a privileged one");
}

Verdict JudgeNfsMount(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNfsMount)) return NoProofAsked();
  const NfsAnswers& nfs = view.answers.nfs;
  return JudgeLocalStep(view, kStepNfsMount,
                        fmt::format("{} mounted by {}", TextOf(nfs.proof_export), TextOf(nfs.mount_transport)),
                        "an export that mounts by RDMA", kNfsClient, NfsClientFix(), NfsMountFix(view));
}

Verdict JudgeNfsWrite(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNfsWrite)) return NoProofAsked();
  return JudgeProofTransfer(view, kStepNfsWrite, kProofNfsWrite, false, kNfsClient);
}

Verdict JudgeNfsRead(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNfsRead)) return NoProofAsked();
  return JudgeProofTransfer(view, kStepNfsRead, kProofNfsRead, true, kNfsClient);
}

// At least what was read and written: the rest is directories.
Verdict JudgeNfsByRdma(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNfsRead)) return NoProofAsked();
  constexpr std::string_view kMountStats = "/proc/PID/mountstats of the proof";
  constexpr std::string_view kExpected = "the client's transport is rdma and counted every byte";
  const NfsAnswers& nfs = view.answers.nfs;
  const std::string_view transport = TextOf(nfs.mount_transport);
  if (transport.empty() || !view.Done(kStepNfsRead)) return NotTold(kMountStats, std::string(kExpected));
  std::uint64_t moved = 0;
  for (const TransferResult& transfer : view.result.transfers) moved += transfer.bytes;
  const std::uint64_t counted = nfs.rdma_request_bytes.value_or(0) + nfs.rdma_reply_bytes.value_or(0);
  return {.outcome = transport == "rdma" && counted >= moved ? Outcome::kPass : Outcome::kFail,
          .observed = fmt::format("{}, {} by RDMA of {}", transport, BytesText(counted), BytesText(moved)),
          .expected = std::string(kExpected),
          .source = std::string(kMountStats)};
}

Verdict JudgeNfsUnmount(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNfsUnmount)) return NoProofAsked();
  return JudgeStep(view, kStepNfsUnmount, "file removed, unmounted", "nothing left behind", kNfsClient);
}

std::vector<std::string_view> BehindNfs(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> all = {"nfs.address", "nfs.route", "nfs.rdma-listener"};
  all.insert(all.end(), more);
  return all;
}

}  // namespace

std::vector<ProbeCheck> NfsServerChecks() {
  return {
      {.id = "nfs.address",
       .title = "The server's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = ProbeAddressFix(),
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "nfs.route",
       .title = "An RDMA port of this host leads to the server",
       .why = kProbeWhyRoute,
       .fix = ProbeRouteFix(),
       .blocking = true,
       .depends_on = {"nfs.address"},
       .judge = &JudgeProbeRoute},
      {.id = "nfs.rdma-listener",
       .title = "The server accepts RDMA connections for NFS",
       .why = "A mount with proto=rdma has no other way: without a listener it fails",
       .fix = OnServer("modprobe rpcrdma && echo 'rdma {port}' > /proc/fs/nfsd/portlist")
                  .Because("nfsd listens by TCP only: it begins to listen by RDMA when it is asked to")
                  .Do("for good: rdma=y and rdma-port={port} in the nfsd section of /etc/nfs.conf"),
       .blocking = true,
       .depends_on = {"nfs.address", "nfs.route"},
       .judge = &JudgeProbeListener},
      {.id = "nfs.null",
       .title = "The server answers NFS calls over RDMA",
       .why = "A listener accepts connections before anybody serves them: only an answer shows that NFS runs",
       .fix = OnServer("cat /proc/fs/nfsd/threads /proc/fs/nfsd/versions")
                  .Because("nfsd has no thread, or serves neither version 3 nor 4", Certainty::kPossible)
                  .Do("threads must be above 0, and +3 or +4 among the versions"),
       .blocking = true,
       .proof = true,
       .depends_on = BehindNfs({}),
       .judge = &JudgeNfsNull},
      {.id = "nfs.version",
       .title = "The server has NFS 4.1 or newer",
       .why = "Sessions (4.1) let a client keep many requests under way and recover from a lost connection; "
              "4.0 and 3 "
              "need further services beside RDMA",
       .fix = OnServer("cat /proc/fs/nfsd/versions")
                  .Caution("nfsd takes new versions when it starts again: clients wait for it")
                  .Do("write vers4.1=y and vers4.2=y into the nfsd section of /etc/nfs.conf")
                  .Run("systemctl restart nfs-server"),
       .depends_on = BehindNfs({"nfs.null"}),
       .judge = &JudgeNfsVersions},
      {.id = "nfs.inline-size",
       .title = "The server takes messages of 4 KiB",
       .why = "Smaller messages make more calls need RDMA transfers of their own",
       .fix =
           OnServer("uname -r").Do("install a newer kernel: it takes 4096 bytes, and says so when connecting"),
       .depends_on = BehindNfs({}),
       .judge = &JudgeNfsInline},
      {.id = "nfs.mount",
       .title = "This host's own client mounts the export over RDMA",
       .why = "Only the kernel's own mount shows that a workload will have its files",
       .fix = NfsClientFix(),
       .blocking = true,
       .depends_on = BehindNfs({"nfs.null"}),
       .judge = &JudgeNfsMount},
      {.id = "nfs.write",
       .title = "A file can be written",
       .why = "The server fetches what is written by RDMA read",
       .fix = OnServer("exportfs -v")
                  .Because("the export is read-only, or squashes root of this host", Certainty::kPossible)
                  .Do("export with rw, and with a squash option that lets root of this host write")
                  .Or("name another path for the proof"),
       .blocking = true,
       .depends_on = BehindNfs({"nfs.null", "nfs.mount"}),
       .judge = &JudgeNfsWrite},
      {.id = "nfs.read",
       .title = "A file is read back as it was written",
       .why = "The server places what is read by RDMA write: every byte was compared",
       .fix = Fix("dmesg | tail -n 30")
                  .Caution("run the command on both hosts")
                  .Do("look for errors of RPC, of the disk and of the connection"),
       .blocking = true,
       .depends_on = BehindNfs({"nfs.null", "nfs.mount", "nfs.write"}),
       .judge = &JudgeNfsRead},
      {.id = "nfs.by-rdma",
       .title = "The file's bytes went over RDMA",
       .why = "What the client's own counters do not show as RDMA went in messages, copied on both sides",
       .fix = Fix("nfsstat -m; grep xprt: /proc/self/mountstats")
                  .Because("the mount goes by TCP")
                  .Do("mount with proto=rdma"),
       .blocking = true,
       .depends_on = BehindNfs({"nfs.null", "nfs.mount", "nfs.write", "nfs.read"}),
       .judge = &JudgeNfsByRdma},
      {.id = "nfs.unmount",
       .title = "The proof left nothing behind",
       .why = "A file or a mount that nobody needs stays until somebody removes it",
       .fix = OnServer("find EXPORT -maxdepth 1 -name '.rdmaready-*' -delete").Do("EXPORT: the exported path"),
       .depends_on = BehindNfs({"nfs.null", "nfs.mount"}),
       .judge = &JudgeNfsUnmount},
  };
}

}  // namespace rdmaready
