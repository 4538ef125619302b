// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <cstdlib>
#include <functional>
#include <iterator>

#include "agent/probe/iser/iser_wire.h"
#include "agent/probe/iser/scsi_wire.h"
#include "agent/probe/nfs/nfs_wire.h"
#include "agent/probe/nvme/nvme_wire.h"
#include "agent/probe/smb/smb2_wire.h"
#include "tests/support/smb_server/smb2_server.h"

namespace rdmaready {
namespace {

// What must hold of every answer, whatever the bytes were.
void Demand(bool holds) {
  if (!holds) std::abort();
}

bool Inside(Octets part, Octets whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

bool Clean(const std::string& text) {
  for (const char letter : text) {
    if (letter < ' ' || letter > '~') return false;
  }
  return true;
}

void NvmeConnection(Octets bytes) {
  nvme::DecodeConnectAccept(bytes);
  if (const auto reject = nvme::DecodeConnectReject(bytes)) Demand(!nvme::RejectText(reject->status).empty());
}

void NvmeCompletion(Octets bytes) {
  const auto completion = nvme::DecodeCompletion(bytes);
  if (!completion) return;
  Demand(completion->status <= 0x7ff && !nvme::StatusText(completion->status).empty());
  nvme::WrongConnectField(completion->result);
  nvme::DecodeCapabilities(completion->result);
  nvme::VersionText(static_cast<std::uint32_t>(completion->result));
}

void NvmeIdentify(Octets bytes) {
  const auto identify = nvme::DecodeIdentifyController(bytes);
  Demand(!identify || (Clean(identify->serial) && Clean(identify->model) && Clean(identify->subsystem_name)));
}

void NvmeLog(Octets bytes) {
  nvme::DecodeLogHeader(bytes);
  const auto entry = nvme::DecodeLogEntry(bytes);
  Demand(!entry || (Clean(entry->name) && Clean(entry->address) && entry->service_id.size() <= 32));
  if (entry) Demand(!nvme::TransportText(entry->transport).empty());
}

void Iser(Octets bytes) {
  iser::DecodeConnectAccept(bytes);
  const auto pdu = iser::DecodePdu(bytes);
  if (!pdu) return;
  Demand(pdu->header.size() == 48 && Inside(pdu->header, bytes) && Inside(pdu->data, bytes));
  const iser::LoginAnswer login = iser::LoginAnswerOf(*pdu);
  Demand(!iser::LoginStatusText(login.status_class, login.status_detail).empty());
  iser::NumbersOf(*pdu);
  iser::TextAnswerOf(*pdu);
  iser::LogoutResponseOf(*pdu);
  iser::PingTagOf(*pdu);
  iser::LunOf(*pdu);
  Demand(!iser::RejectText(iser::RejectReasonOf(*pdu)).empty());
  const iser::ScsiAnswer answer = iser::ScsiAnswerOf(*pdu);
  Demand(Inside(answer.sense, pdu->data));
  scsi::DecodeSense(answer.sense);
}

void IserKeys(Octets bytes) {
  constexpr std::size_t kMost = 64;
  const auto keys = iser::DecodeKeys(bytes, kMost);
  if (!keys) return;
  Demand(keys->size() <= kMost);
  for (const auto& [key, value] : *keys) Demand(!key.empty() && key.size() <= 63 && Clean(key) && Clean(value));
  iser::TargetsOf(*keys);
  Demand(iser::DecodeKeys(iser::EncodeKeys(*keys), kMost) == keys);
}

void Scsi(Octets bytes) {
  const auto unit = scsi::DecodeInquiry(bytes);
  Demand(!unit || (Clean(unit->vendor) && Clean(unit->product)));
  scsi::DecodeCapacity(bytes);
  const auto luns = scsi::DecodeLuns(bytes);
  Demand(!luns || luns->size() * 8 <= bytes.size());
  if (const auto sense = scsi::DecodeSense(bytes)) Demand(!scsi::SenseText(*sense).empty());
}

void Nfs(Octets bytes) {
  nfs::DecodeConnectAccept(bytes);
  const auto reply = nfs::DecodeReply(bytes);
  if (!reply) return;
  Demand(!nfs::ReplyText(*reply).empty() && Inside(reply->results, bytes));
  nfs::DecodeCompoundStatus(reply->results);
}

void Smb2(Octets bytes) {
  const auto decoded = smb2::DecodeNegotiateAnswer(bytes);
  const auto* answer = std::get_if<smb2::NegotiateAnswer>(&decoded);
  if (answer == nullptr) return Demand(!std::get<std::string_view>(decoded).empty());
  const std::size_t listed =
      answer->ciphers.size() + answer->signing_algorithms.size() + answer->rdma_transforms.size();
  Demand(listed * 2 <= bytes.size());
  Demand(answer->status == 0 || *answer == smb2::NegotiateAnswer{.status = answer->status,
                                                                 .credits_granted = answer->credits_granted});
  Demand(!smb2::DialectText(answer->dialect).empty() && !smb2::CapabilitiesText(answer->capabilities).empty());
  smb2::CanEncrypt(*answer);
}

constexpr void (*kDecoders[])(Octets) = {NvmeConnection, NvmeCompletion, NvmeIdentify, NvmeLog, Iser,
                                         IserKeys,       Scsi,           Nfs,          Smb2};

std::vector<std::uint8_t> Seed(std::size_t decoder, Octets bytes) {
  std::vector<std::uint8_t> input{static_cast<std::uint8_t>(decoder)};
  for (const std::byte byte : bytes) input.push_back(std::to_integer<std::uint8_t>(byte));
  return input;
}

std::vector<std::byte> IserAnswer(iser::Opcode opcode) {
  std::vector<std::byte> bytes =
      iser::EncodeText({.task_tag = 1}, iser::kNoTag, iser::EncodeKeys({{"A", "B"}}));
  bytes[iser::kIserHeaderBytes] = static_cast<std::byte>(opcode);
  return bytes;
}

std::vector<std::byte> NfsReply() {
  std::vector<std::byte> bytes = nfs::EncodeEmptyCompound(1, 32, 1);
  bytes[nfs::kConnectPrivateBytes * 4 + 3] = std::byte{1};  // a reply
  bytes.resize(nfs::kConnectPrivateBytes * 4 + 4);
  bytes.resize(bytes.size() + 28);
  return bytes;
}

std::vector<std::byte> Smb2Answer(const Smb2Server& server) {
  constexpr std::uint16_t kDialects[] = {0x0300, 0x0302, 0x0311};
  return *AnswerOf(server, smb2::EncodeNegotiate(kDialects, {}));
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const std::vector<std::byte> page(4096);
  return {Seed(0, nvme::EncodeConnectPrivate()),
          Seed(1, Octets(page).first(nvme::kCompletionBytes)),
          Seed(2, page),
          Seed(3, Octets(page).first(nvme::kLogEntryBytes)),
          Seed(4, IserAnswer(iser::Opcode::kTextResponse)),
          Seed(4, IserAnswer(iser::Opcode::kScsiResponse)),
          Seed(5, iser::EncodeKeys({{"TargetName", "iqn.a"}, {"TargetAddress", "10.0.0.2:3260,1"}})),
          Seed(6, Octets(page).first(64)),
          Seed(7, NfsReply()),
          Seed(7, nfs::EncodeConnectPrivate()),
          Seed(8, Smb2Answer({.rdma_transform = true})),
          Seed(8, Smb2Answer({.dialect = 0x0302, .security_buffer_bytes = 20})),
          Seed(8, Smb2Answer({.status = 0xC00000BB}))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy that ends where its memory ends.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1,
                                     reinterpret_cast<const std::byte*>(data) + size);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](bytes);
  return 0;
}
