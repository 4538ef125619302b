// SPDX-License-Identifier: Apache-2.0
#include "agent/proof/kernel_proof.h"

#include <utility>

#include "agent/probe/nfs/nfs_proof.h"
#include "agent/probe/nvme/nvme_proof.h"
#include "agent/share/share_proof.h"
#include "agent/transfer/nonce.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

bool ProveOnShare(const KernelProof& proof, const ProofTools& tools, Walk& walk) {
  const absl::StatusOr<Nonce> nonce = FreshNonce();
  if (!nonce.ok()) {
    walk.Step(KernelSteps(Protocol::kSmb, proof.inquire).front(), std::chrono::seconds(1),
              [&](const Patience&) { return nonce.status(); });
    return false;
  }
  const ShareProof on_share{.server_address = proof.address,
                            .share = proof.volume,
                            .credentials = proof.credentials,
                            .nonce = *nonce};
  const auto read = [&] { return tools.evidence(proof); };
  if (!proof.inquire) return ProveShare(on_share, read, walk);
  return InquireShare(on_share, read, walk);
}

bool ProveOnDisk(const KernelProof& proof, const ProofTools& tools, Walk& walk) {
  const auto removed = nvme::RemoveLeftovers(nvme::FindLeftovers(nvme::Moment::kLater));
  if (tools.leftovers) tools.leftovers(removed);
  return ProveNvme(proof, walk);
}

class InProcess final : public Prover {
 public:
  explicit InProcess(ProofTools tools) : tools_(std::move(tools)) {}

  absl::StatusOr<std::string> Admit(const ProofWish& wish) override {
    if (wish.protocol != Protocol::kSmb) return wish.volume;
    if (wish.volume.empty()) return absl::InvalidArgumentError("a proof on a share needs the share's name");
    if (!wish.credentials) return absl::InvalidArgumentError("a proof on a share needs credentials");
    return wish.volume;
  }

  bool Prove(const KernelProof& proof, Walk& walk) override { return MakeKernelProof(proof, tools_, walk); }

 private:
  const ProofTools tools_;
};

}  // namespace

bool MakeKernelProof(const KernelProof& proof, const ProofTools& tools, Walk& walk) {
  switch (proof.protocol) {
    case Protocol::kUnknown:
    case Protocol::kIser:
      return false;
    case Protocol::kSmb:
      return ProveOnShare(proof, tools, walk);
    case Protocol::kNvme:
      return ProveOnDisk(proof, tools, walk);
    case Protocol::kNfs:
      return ProveNfs(proof, walk);
  }
  return false;
}

std::shared_ptr<Prover> InProcessProver(ProofTools tools) {
  return std::make_shared<InProcess>(std::move(tools));
}

}  // namespace rdmaready
