"""What many tests start from."""
from pathlib import Path

import pytest
from stand_ins import StandInProgram, intervals_stand_in


@pytest.fixture(name="program")
def batfill_stand_in(tmp_path: Path) -> StandInProgram:
    """A program in the place of batfill."""
    return StandInProgram(tmp_path)


@pytest.fixture(name="intervals_program")
def intervals_program_stand_in(tmp_path: Path) -> str:
    """A program in the place of `batfill intervals`."""
    return intervals_stand_in(tmp_path)
