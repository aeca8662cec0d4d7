"""Spack's recipe of batfill. docs/install.md says how it is used, and what of it was tried."""

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass  # Before Spack 1.0 it is in spack.package.


class Batfill(CMakePackage):
    """The backfilling algorithms of the literature, as a scheduler for the simulator Batsim and in an embedded
    simulator with the same inputs and outputs."""

    # There is no published repository yet: the sources are those of the clone that this file lies in.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("Apache-2.0")

    version("main", branch="main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74: +context+program_options")
    depends_on("cppzmq")
    depends_on("eigen@3.4", type="build")
    depends_on("howard-hinnant-date tzdb=system")
    depends_on("libcsv")
    depends_on("libsodium")
    depends_on("libzmq@4.3: +libsodium")
    depends_on("pugixml")
    depends_on("rapidjson@1.2.0-2021-08-13:", type="build")
    depends_on("spdlog@1.10: +shared")
    depends_on("yaml-cpp@0.7:")
    depends_on("zlib-api")

    conflicts("%gcc@:11", msg="batfill is C++20")

    # It puts the pages of `batfill report` together; Spack has no recipe of it.
    resource(
        name="d3",
        url="https://unpkg.com/d3@5.16.0/dist/d3.min.js",
        sha256="5dbe924b3847df010f0b8572dd6ef42ea87d6370eeff72b13ea236247412a53c",
        expand=False,
        placement="d3",
    )
    resource(
        name="d3-license",
        url="https://unpkg.com/d3@5.16.0/LICENSE",
        sha256="7a3cb0e5055874e67db9aa2d5fe26de23204fa994ffbad198901ffe9c812a717",
        expand=False,
        placement="d3-license",
    )

    generator("ninja")

    def cmake_args(self):
        """No tests, which need further libraries, and D3 where Spack has put it."""
        source = self.stage.source_path
        return [
            self.define("BATFILL_TESTS", False),
            self.define("D3_LIBRARY", join_path(source, "d3", "d3.min.js")),
            self.define("D3_LICENSE", join_path(source, "d3-license", "LICENSE")),
        ]
