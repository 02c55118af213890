initiatedAt(open(Door)=true, T) :-
    happensAt(opens(Door), T).

terminatedAt(open(Door)=true, T) :-
    happensAt(closes(Door), T).

holdsFor(unguarded(Door)=true, I) :-
    holdsFor(open(Door)=true, I1),
    guardOf(Door, Guard),
    holdsFor(present(Guard)=true, I2),
    relative_complement_all(I1, [I2], I).

grounding(opens(Door)) :- guardOf(Door, _).
grounding(closes(Door)) :- guardOf(Door, _).
grounding(present(Guard)=true) :- guardOf(_, Guard).
grounding(open(Door)=true) :- guardOf(Door, _).
grounding(unguarded(Door)=true) :- guardOf(Door, _).

collectIntervals(present(_)=true).
