"""What the configuration says, resolved and checked before any job runs."""
import shutil
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, NoReturn, Optional

from snakemake.exceptions import WorkflowError

ENGINES = ("simulate", "batsim")


class Settings:
    """The configuration with its files found: the program, each paper's machines and their logs.

    `config` is config.yaml with the user's changes. What cannot be followed is a WorkflowError before any job runs.
    `batsim` is Batsim's program, None where there is none; `engine` is `simulate`, or that program.
    """

    def __init__(self, config: Mapping[str, Any], project: Path, environment: Mapping[str, str]) -> None:
        self._config = config
        self._project = project
        self.batfill = find_batfill(config["batfill"], project)
        self.batsim = _find_batsim(config["batsim"])
        self.engine = self._find_engine(config["engine"])
        folder = config["logs"] or environment.get("BATFILL_LOGS", "")
        self._logs = _check_folder(folder) if folder else None
        self._machines: dict[str, dict[str, dict[str, Any]]] = {}

    @property
    def has_logs(self) -> bool:
        """Whether workloads come from logs; else they are generated."""
        return self._logs is not None

    def paper(self, paper: str) -> Mapping[str, Any]:
        """The paper's section of the configuration."""
        return self._config[paper]

    def papers_without_logs(self, papers: Iterable[str]) -> dict[str, str]:
        """Of those of the papers that need logs and have none in the folder of logs, what is missing. It is an error if
        that is all of them."""
        needing = [paper for paper in papers if self._logs is not None and "machines" in self._config[paper]]
        lacking = {paper: self._missing(paper) for paper in needing if not self._found(paper)}
        if lacking and len(lacking) == len(needing):
            raise WorkflowError("; ".join(lacking.values()))
        return lacking

    @staticmethod
    def refusal(message: str) -> Callable[[Any], NoReturn]:
        """The input of a target that cannot be made."""
        def refuse(_wildcards: Any) -> NoReturn:
            raise WorkflowError(message)
        return refuse

    def machines(self, paper: str) -> list[str]:
        """The paper's machines whose logs are there or, without a folder of logs, the generated ones."""
        return list(self._found(paper))

    def machine(self, paper: str, machine: str) -> Mapping[str, Any]:
        """All that the configuration says of a machine."""
        return self._found(paper)[machine]

    def logs(self, paper: str, machine: str) -> list[str]:
        """The machine's log, as the only element; empty if its workload is generated."""
        return self._found(paper)[machine]["logs"]

    def companions(self, patterns: Iterable[str]) -> list[str]:
        """A file of the folder of logs that is no log, as the only element; empty if it is not there."""
        found = _find_log(self._logs, list(patterns)) if self._logs is not None else None
        return [str(found)] if found else []

    def workload_options(self, paper: str, machine: str) -> list[str]:
        """Options of `batfill swf` or, without a log, of `batfill generate`."""
        return self._found(paper)[machine]["options"].split()

    def platform(self, paper: str, machine: str) -> str:
        """The machine's platform file: one of `platforms/` or, with `hosts`, one that rule `equal_hosts` writes."""
        settings = self._found(paper)[machine]
        if "hosts" in settings:
            return f"{paper}/{machine}/platform.xml"
        return str(self._project / "platforms" / (settings["platform"] + ".xml"))

    def hosts(self, paper: str, machine: str) -> int:
        """The number of hosts of a machine whose platform is written."""
        return self._found(paper)[machine]["hosts"]

    def readings(self, paper: str) -> dict[str, tuple[str, str]]:
        """Of each machine its name in the configuration and the reading of its log, of a paper with `readings`. Where
        workloads are generated there is nothing to read, and each is of the first reading."""
        first = next(iter(self._config[paper]["readings"]))
        return {machine: (settings.get("machine", machine), settings.get("reading", first))
                for machine, settings in self._found(paper).items()}

    def schedule(self, paper: str, schedule: str) -> Mapping[str, Any]:
        """Algorithm and parameters of one of the paper's schedules."""
        return self._config[paper]["schedules"][schedule]

    def _find_engine(self, engine: str) -> str:
        if engine not in ENGINES:
            raise WorkflowError(f"unknown engine '{engine}'; it is one of {', '.join(ENGINES)}")
        if engine == "simulate":
            return engine
        if self.batsim is None:
            raise WorkflowError("engine is batsim, but no batsim is on the PATH, and config.yaml names none")
        return self.batsim

    def _found(self, paper: str) -> dict[str, dict[str, Any]]:
        if paper not in self._machines:
            self._machines[paper] = self._find(paper)
        return self._machines[paper]

    def _find(self, paper: str) -> dict[str, dict[str, Any]]:
        if self._logs is None:
            return {machine: {**settings, "logs": []} for machine, settings in self._config[paper]["generated"].items()}
        found: dict[str, dict[str, Any]] = {}
        for machine, settings in self._config[paper]["machines"].items():
            log = _find_log(self._logs, settings["logs"])
            if log:
                found |= self._by_reading(paper, machine, {**settings, "logs": [str(log)]})
        return found

    def _missing(self, paper: str) -> str:
        patterns = dict.fromkeys(settings["logs"][0] for settings in self._config[paper]["machines"].values())
        return f"no log of {paper} in {self._logs}; expected one of {', '.join(patterns)}"

    def _by_reading(self, paper: str, machine: str, settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The machine, if the paper's section has `readings` once for each that is for it, called MACHINE-READING."""
        if "readings" not in self._config[paper]:
            return {machine: settings}
        return {f"{machine}-{name}": {**settings, "machine": machine, "reading": name,
                                      "options": f"{settings['options']} {reading['options']}"}
                for name, reading in self._config[paper]["readings"].items()
                if machine in reading.get("machines", [machine]) and name in settings.get("readings", [name])}


def find_batfill(configured: str, project: Path) -> str:
    """The program that the configuration names; if it names none, the one that run.sh builds, or that on the PATH."""
    built = project / "build" / "release" / "batfill"
    program = shutil.which(configured or (str(built) if built.exists() else "batfill"))
    if not program:
        raise WorkflowError(f"no program '{configured or 'batfill'}'; run.sh builds it, or set batfill in config.yaml")
    return str(Path(program).resolve())


def _find_batsim(configured: str) -> Optional[str]:
    program = shutil.which(configured or "batsim")
    if configured and not program:
        raise WorkflowError(f"batsim: no program '{configured}'")
    return str(Path(program).resolve()) if program else None


def _check_folder(folder: str) -> Path:
    path = Path(folder)
    if not path.is_dir():
        raise WorkflowError(f"logs: {folder} is not a folder")
    return path.resolve()


def _find_log(folder: Path, patterns: list[str]) -> Optional[Path]:
    for pattern in patterns:
        logs = sorted(folder.glob(pattern))
        if logs:
            return logs[-1]
    return None
