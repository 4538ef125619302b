# SPDX-License-Identifier: Apache-2.0
# Compiles the headers that most files include once, which saves half a second to a second of a unit. Headers of the system only, so that an
# edit of one of ours compiles what includes it and nothing else. Each file still includes what it uses: where a file is a unit of its own
# (RDMAREADY_UNITY off), nothing is precompiled, and a missing #include is an error.

set(rdmaready_common_headers
  <algorithm> <array> <chrono> <condition_variable> <cstdint> <functional> <map> <memory> <mutex> <optional> <set> <span> <string>
  <string_view> <thread> <utility> <variant> <vector> <fmt/format.h> <absl/status/status.h> <absl/status/statusor.h>)

# rdmaready_precompile(NAME [LINK target...] HEADERS header...): a set of precompiled headers.
function(rdmaready_precompile name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  if(RDMAREADY_UNITY)
    file(CONFIGURE OUTPUT "${name}.cc" CONTENT "" @ONLY)
    add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cc")
    target_link_libraries(${name} PRIVATE rdmaready_options ${ARG_LINK})
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  endif()
endfunction()

# rdmaready_precompiled(TARGET NAME): the target uses the set NAME. Its options and definitions are those of rdmaready_options, or the
# compiler refuses the set.
function(rdmaready_precompiled target name)
  if(RDMAREADY_UNITY)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
