"""Spack's recipe of libcsv, which batfill reads CSV files with and Spack's own recipes lack."""

from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass  # Before Spack 1.0 it is in spack.package.


class Libcsv(AutotoolsPackage):
    """A small and fast library that reads and writes CSV files."""

    homepage = "https://github.com/rgamble/libcsv"
    git = "https://github.com/rgamble/libcsv.git"

    license("LGPL-2.1-or-later")

    version("3.0.3-2021-08-20", commit="b1d5212831842ee5869d99bc208a21837e4037d5")

    depends_on("c", type="build")
