"""The stream that faults are held against, run once; and a broker."""

from __future__ import annotations

import pytest

from tests.io.mqtt.conftest import broker
from tests.spark.live.undisturbed import Undisturbed, undisturbed

__all__ = ["broker", "plain"]


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return undisturbed(tmp_path_factory.mktemp("undisturbed"))
