"""What many tests start from."""
from pathlib import Path

import pytest
from stand_ins import StandInProgram


@pytest.fixture(name="program")
def batfill_stand_in(tmp_path: Path) -> StandInProgram:
    """A program in the place of batfill."""
    return StandInProgram(tmp_path)
