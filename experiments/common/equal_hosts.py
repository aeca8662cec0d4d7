"""Job of rule `equal_hosts`: a SimGrid platform of equal hosts, for machines that `platforms/` does not have."""
from pathlib import Path

from common.job import Job, run_job

HEADER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!--
  {name}: {hosts} equal hosts, all at one place, so that messages take no time. Names have zeros in front because Batsim
  numbers hosts in the lexicographic order of their names.
-->
<platform version="4.1">
  <zone id="machine" routing="Vivaldi">
"""
HOST = '    <host id="{name}" speed="1Gf" coordinates="0 0 0"/>\n'
FOOTER = "  </zone>\n</platform>\n"


def platform(name: str, hosts: int) -> str:
    """The platform file of a machine with so many hosts besides master_host."""
    digits = len(str(hosts - 1))
    names = ["master_host", *(f"node{number:0{digits}}" for number in range(hosts))]
    return HEADER.format(name=name, hosts=hosts) + "".join(HOST.format(name=one) for one in names) + FOOTER


def main(job: Job) -> None:
    """Writes a machine's platform."""
    Path(job.output[0]).write_text(platform(job.wildcards.machine, job.params.hosts), encoding="utf-8")


if __name__ == "__main__":
    run_job(main)
