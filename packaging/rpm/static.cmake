# SPDX-License-Identifier: Apache-2.0
# Read where RDMAREADY_STATIC names a folder: programs that start on distributions that have gRPC, protobuf, Abseil, fmt, spdlog, yaml-cpp,
# prometheus-cpp and libstdc++ in no version or in another one. These are linked as archives, of Debian's packages or, where a package has
# none, of its source, which the folder holds: packaging/lib/rpm.sh. What stays shared keeps its soname for years and is updated for
# security: libc, OpenSSL, GnuTLS, SQLite, systemd's and those of rdma-core.
set(archives "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
# Not libgcc: its archive looks for frames in a way that takes glibc 2.35, and a shared one is everywhere.
add_link_options(-static-libstdc++)

# The programs exist when everything else is read.
add_library(older_glibc OBJECT packaging/rpm/older_glibc.cc)
target_link_libraries(older_glibc PRIVATE rdmaready_options)
function(use_older_glibc)
  foreach(program rdmaready rdmaready-agent rdmaready-reader rdmaready-listener rdmaready-prover rdmaready-applier rdmaready-pauser rdmaready-hub)
    target_link_libraries(${program} PRIVATE $<TARGET_OBJECTS:older_glibc>)
  endforeach()
endfunction()
cmake_language(DEFER CALL use_older_glibc)

# archive_of_source(TARGET NAME SOURCES...): an imported library is made of Debian's source of it.
function(archive_of_source target name)
  add_library(static_${name} STATIC ${ARGN})
  set_target_properties(static_${name} PROPERTIES OUTPUT_NAME ${name} ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/static")
  use_archive(${target} "${CMAKE_BINARY_DIR}/static/lib${name}.a")
  add_dependencies(${target} static_${name})
endfunction()

link_archives("${archives}" ssl crypto z)

file(GLOB fmt "${RDMAREADY_STATIC}/fmtlib-*/src/format.cc" "${RDMAREADY_STATIC}/fmtlib-*/src/os.cc")
archive_of_source(fmt::fmt fmt ${fmt})
file(GLOB spdlog "${RDMAREADY_STATIC}/spdlog-*/src/*.cpp")
list(FILTER spdlog EXCLUDE REGEX "/fmt\\.cpp$")
archive_of_source(spdlog::spdlog spdlog ${spdlog})
target_compile_definitions(static_spdlog PRIVATE SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)

# Of prometheus-cpp it is the writer of the text format. Its headers are those of the installed package, where the build writes one.
file(GLOB prometheus "${RDMAREADY_STATIC}/prometheus-cpp-*/core/src/*serializer.cc")
add_library(static_prometheus STATIC ${prometheus})
set_target_properties(PkgConfig::prometheus PROPERTIES INTERFACE_LINK_LIBRARIES static_prometheus)

# Debian's libcurl has versions of its symbols that others' have not. What is linked against has the names alone, so that every libcurl.so.4 will
# do, whichever library of TLS it is made with. A name that is missing here is an error of the linker.
set(curl_names easy_cleanup easy_getinfo easy_init easy_perform easy_send easy_setopt easy_strerror free global_init slist_append slist_free_all
  url url_cleanup url_get url_set)
list(TRANSFORM curl_names REPLACE "(.+)" "void curl_\\1(void) {}\n" OUTPUT_VARIABLE curl_stub)
list(JOIN curl_stub "" curl_stub)
file(WRITE "${CMAKE_BINARY_DIR}/static/curl_names.c" "${curl_stub}")
add_library(static_curl SHARED "${CMAKE_BINARY_DIR}/static/curl_names.c")
set_target_properties(static_curl PROPERTIES OUTPUT_NAME curl SOVERSION 4 LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/static")
set_target_properties(PkgConfig::curl PROPERTIES INTERFACE_LINK_LIBRARIES static_curl)
