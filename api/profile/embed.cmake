# SPDX-License-Identifier: Apache-2.0
# cmake -DDIRECTORY=packaging/profiles -DOUTPUT=builtin.cc -P embed.cmake
# Writes BuiltInProfiles() from the *.yaml files of DIRECTORY, as raw string literals.
file(GLOB profiles "${DIRECTORY}/*.yaml")
list(SORT profiles)
set(rows "")
set(count 0)
foreach(profile IN LISTS profiles)
  get_filename_component(name "${profile}" NAME_WLE)
  file(READ "${profile}" text)
  if(text MATCHES "\\)rr_yaml\"")
    message(FATAL_ERROR "${profile}: holds the end mark of the literal it is put into")
  endif()
  string(APPEND rows "    {\"${name}\", R\"rr_yaml(${text})rr_yaml\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "no profile in ${DIRECTORY}")
endif()
file(WRITE "${OUTPUT}" "// Generated from packaging/profiles by api/profile/embed.cmake.
#include \"api/profile/builtin.h\"

namespace rdmaready {
namespace {
constexpr BuiltInProfile kProfiles[] = {
${rows}};
}  // namespace

std::span<const BuiltInProfile> BuiltInProfiles() { return kProfiles; }

}  // namespace rdmaready
")
