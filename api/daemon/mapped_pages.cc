// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/mapped_pages.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rdmaready {
namespace {

// Segments that may be written hold relocated addresses and variables: they are left alone.
int GiveBackObject(::dl_phdr_info* object, std::size_t, void* context) {
  const std::uintptr_t page = *static_cast<const std::uintptr_t*>(context);
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr + page - 1) / page * page;
    const std::uintptr_t end = (object->dlpi_addr + segment.p_vaddr + segment.p_memsz) / page * page;
    // Locked memory is refused and stays as it was.
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void GiveBackMappedPages() {
  ::malloc_trim(0);
  std::uintptr_t page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  ::dl_iterate_phdr(GiveBackObject, &page);
}

}  // namespace rdmaready
