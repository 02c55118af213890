"""The stream that faults are held against, run once."""

from __future__ import annotations

import pytest

from tests.spark.live.undisturbed import Undisturbed, undisturbed


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return undisturbed(tmp_path_factory.mktemp("undisturbed"))
