# SPDX-License-Identifier: Apache-2.0
"""How the tree is compiled (packaging/lib/units.cmake, packaging/lib/compile), on a small tree of its own in a path with blanks."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
option(RDMAREADY_UNITY "" ON)
include("${PROJECT_SOURCE_DIR}/packaging/lib/units.cmake")
include("${PROJECT_SOURCE_DIR}/packaging/lib/precompiled.cmake")
set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/packaging/lib/compile" "${PROJECT_SOURCE_DIR}" "${CMAKE_BINARY_DIR}" "..")
file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" part/*.cc)
rdmaready_units(units small 4 SOURCES ${sources})
add_library(small STATIC ${units})
target_include_directories(small PRIVATE "${PROJECT_SOURCE_DIR}")
add_library(rdmaready_options INTERFACE)
target_compile_options(rdmaready_options INTERFACE -Werror)
target_link_libraries(small PRIVATE rdmaready_options)
if(PRECOMPILED)
  rdmaready_precompile(small_common HEADERS <string> ${HEADERS})
  rdmaready_precompiled(small small_common)
endif()
"""


class BuildGraph(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}
        self.environment["CCACHE_DIR"] = str(self.folder / "cache")

    def tree(self, name, files=12):
        """A tree of so many sources, each of which includes part/common.h."""
        root = self.folder / name
        (root / "part").mkdir(parents=True)
        (root / "packaging" / "lib").mkdir(parents=True)
        for file in ("units.cmake", "precompiled.cmake", "compile"):
            shutil.copy(ROOT / "packaging" / "lib" / file, root / "packaging" / "lib" / file)
        (root / "CMakeLists.txt").write_text(PROJECT)
        (root / "part" / "common.h").write_text("#pragma once\n#include <string>\ninline int common() { return 1; }\n")
        for number in range(files):
            self.add(root, f"file{number}")
        return root

    def add(self, root, name):
        (root / "part" / f"{name}.cc").write_text(f'#include "part/common.h"\nint {name}() {{ return common(); }}\n')

    def run_in(self, root, *command):
        return subprocess.run(command, cwd=root, env=self.environment, check=True, capture_output=True, text=True).stdout

    def configure(self, root, *options):
        self.run_in(root, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *options)

    def build(self, root, *options):
        self.configure(root, *options)
        self.run_in(root, "ninja", "-C", "build")

    def units(self, root):
        """Name and text of the units that the build compiles: a unit that a split renamed leaves its file behind."""
        names = set(re.findall(r"units/small/(\w+\.cc)\.o", self.run_in(root, "ninja", "-C", "build", "-t", "targets", "all")))
        return {name: (root / "build" / "units" / "small" / name).read_text() for name in names}

    def hits(self):
        values = dict(line.split("\t") for line in self.run_in(self.folder, "ccache", "--print-stats").splitlines())
        return int(values["direct_cache_hit"]) + int(values["preprocessed_cache_hit"]), int(values["cache_miss"])

    def test_a_new_file_changes_one_unit(self):
        root = self.tree("a tree")
        self.configure(root)
        after = self.units(root)
        for number in range(12, 24):
            before = after
            self.add(root, f"file{number}")
            self.configure(root)
            after = self.units(root)
            gone = set(before.values()) - set(after.values())
            self.assertLessEqual(len(gone), 1, f"file{number}")
            # No file meets a new neighbour but the new file.
            for text in after.values():
                old = [line for line in text.splitlines() if f"file{number}.cc" not in line]
                self.assertTrue(any(set(old) <= set(whole.splitlines()) for whole in before.values()) or not old, text)
        self.assertEqual(sorted(re.findall(r"file\d+", "".join(after.values()))), sorted(f"file{n}" for n in range(24)))

    def test_another_clone_finds_every_object_in_the_cache_and_depends_on_itself(self):
        first, second = self.tree("the first clone"), self.tree("another clone")
        self.build(first)
        hits, misses = self.hits()
        self.assertEqual(hits, 0)
        self.assertGreater(misses, 1)
        self.build(second)
        self.assertEqual(self.hits(), (misses, misses))
        deps = self.run_in(second, "ninja", "-C", "build", "-t", "deps")
        self.assertIn("    ../part/common.h\n", deps)
        self.assertNotIn(str(first), deps)
        # An edit of the second is seen there; one of the first is not.
        (second / "part" / "common.h").write_text("#pragma once\ninline int common() { return 2; }\n")
        self.build(second)
        self.assertEqual(self.hits(), (misses, 2 * misses))
        (first / "part" / "common.h").write_text("#pragma once\ninline int common() { return 3; }\n")
        self.build(second)
        self.assertEqual(self.hits(), (misses, 2 * misses))

    def test_another_clone_takes_precompiled_headers_from_the_cache_too(self):
        first, second = self.tree("the first clone"), self.tree("another clone")
        self.build(first, "-DPRECOMPILED=ON")
        hits, misses = self.hits()
        self.assertEqual(hits, 0)
        self.build(second, "-DPRECOMPILED=ON")
        self.assertEqual(self.hits(), (misses, misses))
        deps = self.run_in(second, "ninja", "-C", "build", "-t", "deps")
        self.assertEqual(deps.count("/bits/basic_string.h\n"), 1)  # the units did not read it again
        self.assertIn("    ../part/common.h\n", deps)
        self.assertNotIn(str(first), deps)
        # An edit of an own header compiles the units, and not what is precompiled.
        (second / "part" / "common.h").write_text("#pragma once\ninline int common() { return 2; }\n")
        self.build(second)
        units = len(self.units(second))
        self.assertEqual(self.hits(), (misses, misses + units))
        # The cache sees what is precompiled although no unit's list of headers names it.
        self.build(second, "-DPRECOMPILED=ON", "-DHEADERS=<vector>")
        self.assertEqual(self.hits(), (misses, 2 * misses + units))

    def test_nothing_is_precompiled_where_each_file_is_a_unit(self):
        root = self.tree("a tree")
        self.configure(root, "-DPRECOMPILED=ON", "-DRDMAREADY_UNITY=OFF")
        commands = self.run_in(root, "ninja", "-C", "build", "-t", "commands", "libsmall.a")
        self.assertIn("file0.cc", commands)
        self.assertNotIn("-include", commands)


if __name__ == "__main__":
    unittest.main()
