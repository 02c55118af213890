"""One description that has all of it: entities, pairs, all together, deadlines, durative input, retractions."""

from __future__ import annotations

from random import Random

from tests.naive.rows import Horizon

PAIRS = """
initiatedAt(calm(P)=true, T) :- happensAt(sit(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(run(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(stop(P), T).
happensAt(rest(P), T) :- happensAt(start(calm(P)=true), T).
initiatedAt(mood(P)=high, T) :- happensAt(run(P), T), \\+ happensAt(sit(P), T).
initially(mood(p1)=high).
fi(mood(P)=high, mood(P)=low, 25).
p(mood(_)=high).
initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(P,Q), T), holdsAt(calm(P)=true, T).
initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(Q,P), T), holdsAt(mood(Q)=high, T).
terminatedAt(meeting(P,Q)=true, T) :- happensAt(part(P,Q), T).
terminatedAt(meeting(P,_)=true, T) :- happensAt(run(P), T).
holdsFor(quiet(P,Q)=true, I) :-
    holdsFor(meeting(P,Q)=true, A), holdsFor(calm(P)=true, B), holdsFor(calm(Q)=true, C), intersect_all([A,B,C], I).
holdsFor(inside(P)=true, I) :-
    holdsFor(room(P)=hall, A), holdsFor(mood(P)=low, B), relative_complement_all(A, [B], I).
"""
PARTY = (
    PAIRS
    + """
initiatedAt(party=on, T) :- happensAt(start(quiet(P,Q)=true), T), holdsAt(calm(Q)=true, T).
terminatedAt(party=_, T) :- happensAt(end(meeting(_,_)=true), T).
happensAt(noted(P), T) :- happensAt(sit(P), T), holdsAt(party=on, T).
"""
)
HORIZON = Horizon(window=40, step=20, start=0, end=300)
GUESTS = [f"p{number}" for number in range(1, 9)]


def party(seed: int, size: int) -> list[str]:
    """Rows in RTEC's CSV, a few of them late, too late, malformed, or retracted later."""
    random = Random(seed)
    rows = []
    while len(rows) < size:
        time = random.randint(HORIZON.start - 5, HORIZON.end + 5)
        name = random.choice(("sit", "run", "stop", "greet", "greet", "part", "room"))
        args = [random.choice(GUESTS) for _ in range(2 if name in ("greet", "part") else 1)]
        times = [time, time + random.randint(1, 30), random.choice(("hall", "yard"))] if name == "room" else [time]
        came = time + random.choice((0, 0, 0, 0, random.randint(1, 60)))
        rest = "|".join(map(str, (*times, *args)))
        rows.append(f"{name}|{came}|{rest}")
        if random.random() < 0.1:
            rows.append(f"retract|{name}|{came + random.randint(1, 40)}|{rest}")
        if random.random() < 0.05:
            rows.append(random.choice((f"{name}|{came}", f"sit|soon|{time}|p1", "")))
    return rows
