"""7. Pairs: two vessels meet while they are near each other and both slow, for more than ten ticks."""

import holdsfor

rules = holdsfor.parse("""
    initiatedAt(slow(V)=true, T)  :- happensAt(velocity(V, Knots), T), Knots < 5.
    terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
    holdsFor(meeting(A, B)=true, Long) :-
        holdsFor(near(A, B)=true, Near),
        holdsFor(slow(A)=true, SlowA),
        holdsFor(slow(B)=true, SlowB),
        intersect_all([Near, SlowA, SlowB], Together),
        intDurGreater(Together, 10, Long).
""")
events = holdsfor.read_events(
    ["near(v1, v2) @ [5,50)", "velocity(v1, 3) @ 0", "velocity(v2, 4) @ 10", "velocity(v1, 9) @ 30"], format="terms"
)

result = holdsfor.recognise(rules, events)
print(result.table("meeting").to_pylist())
