"""Makes the checkpoint that every later version must be able to go on with: `python -m tests.job.make_checkpoint`.

To be run only when the version of the format is raised. Older checkpoints stay, with a test of how they are taken up or
refused.
"""

from __future__ import annotations

from pathlib import Path

from holdsfor.job.live.start.identity import identity_of
from holdsfor.job.live.state.ledger import VERSION, Ledger
from holdsfor.language import parse
from tests.conformance.streamed import setting_of
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand

RULES = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
initiatedAt(lamp(X)=off, T) :- happensAt(cut(X), T).
fi(lamp(X)=on, lamp(X)=off, 25).
holdsFor(both(X,Y)=true, I) :- holdsFor(near(X,Y)=true, N), holdsFor(lamp(X)=on, A), holdsFor(lamp(Y)=on, B),
    intersect_all([N, A, B], I).
holdsFor(returned(X)=true, I) :- holdsFor(lamp(X)=on, A), holdsFor(home(X)=true, B), before(A, B, target, I).
bound(returned/1, 60).
"""
HORIZON = Horizon(40, 20, 0, 200, 1)
BUCKETS = 2
BATCHES = (
    ["press|3|3|a", "near|5|5|70|true|a|b", "press|12|12|b", "cut|22|22|a"],
    ["press|38|38|a", "home|33|33|36|true|a", "cut|59|41|b"],  # the cut of b is late
    ["press|64|64|b", "home|77|77|80|true|b", "press|85|85|c"],
    ["cut|99|99|b", "home|120|120|125|true|c", "press|160|160|a"],
)
BEFORE = 2  # batches that are in the checkpoint
FIXTURES = Path(__file__).parent / "fixtures"
FOLDER = FIXTURES / f"checkpoint-{VERSION}"


def stream_in(folder: Path) -> ByHand:
    return ByHand(setting_of(parse(RULES), HORIZON, BUCKETS), folder)


def main() -> None:
    live = stream_in(FOLDER)
    Ledger(live.state).begin(identity_of(live.setting, BUCKETS))
    for number in range(BEFORE):
        live.run(number, [BATCHES[number]])


if __name__ == "__main__":
    main()
