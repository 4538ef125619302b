// SPDX-License-Identifier: Apache-2.0
#include "api/base/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace rdmaready {
namespace {

constexpr std::size_t kAlignment = 4;

std::size_t Aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

std::string HexOf(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte one : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(one));
  return text;
}

// The first object is the program itself; 1 ends the walk.
int TakeOfProgram(dl_phdr_info* program, std::size_t /*size*/, void* data) {
  auto& id = *static_cast<std::string*>(data);
  for (const ElfW(Phdr) & segment : std::span(program->dlpi_phdr, program->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE || !id.empty()) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(program->dlpi_addr + segment.p_vaddr);
    id = BuildIdOf({notes, segment.p_memsz});
  }
  return 1;
}

}  // namespace

const std::string& BuildId() {
  static const std::string kId = [] {
    std::string id;
    dl_iterate_phdr(TakeOfProgram, &id);
    return id;
  }();
  return kId;
}

std::string BuildIdOf(std::span<const std::byte> notes) {
  constexpr std::string_view kOwner("GNU\0", 4);
  ElfW(Nhdr) head{};
  while (notes.size() >= sizeof(head)) {
    std::memcpy(&head, notes.data(), sizeof(head));
    notes = notes.subspan(sizeof(head));
    const std::size_t owner = Aligned(head.n_namesz);
    if (owner > notes.size() || head.n_descsz > notes.size() - owner) return {};
    const std::string_view name(reinterpret_cast<const char*>(notes.data()), head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && name == kOwner) return HexOf(notes.subspan(owner, head.n_descsz));
    notes = notes.subspan(std::min(notes.size(), owner + Aligned(head.n_descsz)));
  }
  return {};
}

}  // namespace rdmaready
