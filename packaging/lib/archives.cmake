# SPDX-License-Identifier: Apache-2.0
# gRPC, protobuf, Abseil and yaml-cpp are linked as archives, of the packages that have their headers. As shared libraries they are 50, and the
# loader looks up 20,000 of their names by each start of a program: more than half of the time of a check of one host.
# Shared stays what other packages keep for years and update for security: libc, libstdc++, OpenSSL, GnuTLS, c-ares, SQLite.

# use_archive(TARGET FILE): an imported library is this archive.
function(use_archive target file)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${file}" IMPORTED_LOCATION_NONE "${file}" IMPORTED_SONAME_NONE "")
endfunction()

# link_archives(FOLDER SHARED...): these libraries and what they need, from this folder of archives; SHARED stay shared.
macro(link_archives folder)
  set(stay_shared ${ARGN})  # ARGN of a macro is no variable
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER imported INCLUDE REGEX "^absl::")
  foreach(target IN LISTS imported)
    get_target_property(shared ${target} IMPORTED_LOCATION_NONE)
    if(shared MATCHES "/(lib[a-z_0-9]+)\\.so")
      use_archive(${target} "${folder}/${CMAKE_MATCH_1}.a")
    endif()
  endforeach()
  use_archive(protobuf::libprotobuf "${folder}/libprotobuf.a")
  use_archive(yaml-cpp "${folder}/libyaml-cpp.a")

  file(GLOB grpc_archives "${folder}/libabsl_*.a")
  foreach(library grpc++ grpc gpr upb address_sorting re2 cares ssl crypto z)
    if("${library}" IN_LIST stay_shared)
      list(APPEND grpc_archives "-l${library}")
    else()
      list(APPEND grpc_archives "${folder}/lib${library}.a")
    endif()
  endforeach()
  target_link_libraries(rdmaready_grpc INTERFACE "-Wl,--start-group;${grpc_archives};-Wl,--end-group")
  # It announces itself when it is loaded; nothing calls it.
  set(GRPC_REFLECTION "$<LINK_LIBRARY:WHOLE_ARCHIVE,${folder}/libgrpc++_reflection.a>")
endmacro()
