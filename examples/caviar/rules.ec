% What people do in front of a camera: who talks, walks along with whom, fights, and who leaves something behind.
% The trackers say frame by frame (every 40 ms) where somebody is and how he moves; pre-processing.ec makes distances of it.

points(walking(_)=true).
points(running(_)=true).
points(active(_)=true).
points(inactive(_)=true).
points(abrupt(_)=true).
points(orientation(_)=_).
points(appearance(_)=_).

% ------------------------------------------------------------ near and far

% distance/3 knows a pair by its names in order; beside/2 knows it both ways.
holdsFor(beside(P, Q)=true, I) :-
    holdsFor(distance(P, Q, 24)=true, I1),
    holdsFor(distance(P, Q, 25)=true, I2),
    union_all([I1, I2], I).
holdsFor(beside(P, Q)=true, I) :-
    holdsFor(distance(Q, P, 24)=true, I1),
    holdsFor(distance(Q, P, 25)=true, I2),
    union_all([I1, I2], I).

holdsFor(around(P, Q)=true, I) :-
    holdsFor(distance(P, Q, 24)=true, I1),
    holdsFor(distance(P, Q, 25)=true, I2),
    holdsFor(distance(P, Q, 30)=true, I3),
    holdsFor(distance(P, Q, 34)=true, I4),
    union_all([I1, I2, I3, I4], I).

% ------------------------------------------------------------ people and things

% What moves by itself is a person, until it leaves the picture.
initiatedAt(person(P)=true, T) :-
    happensAt(start(walking(P)=true), T).
initiatedAt(person(P)=true, T) :-
    happensAt(start(running(P)=true), T).
initiatedAt(person(P)=true, T) :-
    happensAt(start(active(P)=true), T).
terminatedAt(person(P)=true, T) :-
    happensAt(disappear(P), T).

% A thing turns up beside a person and lies still.
initiatedAt(left_behind(by(P), O)=true, T) :-
    happensAt(appear(O), T),
    holdsAt(inactive(O)=true, T),
    holdsAt(beside(P, O)=true, T),
    holdsAt(person(P)=true, T).
terminatedAt(left_behind(_, O)=true, T) :-
    happensAt(disappear(O), T).

% ------------------------------------------------------------ what two people do

holdsFor(doing(P, talk(Q))=true, I) :-
    holdsFor(beside(P, Q)=true, Near),
    holdsFor(person(P)=true, PersonP),
    holdsFor(person(Q)=true, PersonQ),
    holdsFor(still(P)=true, StillP),
    holdsFor(still(Q)=true, StillQ),
    intersect_all([Near, PersonP, PersonQ, StillP, StillQ], Both),
    intDurGreater(Both, 1000, I),
    P @< Q.

holdsFor(still(P)=true, I) :-
    holdsFor(active(P)=true, I1),
    holdsFor(inactive(P)=true, I2),
    union_all([I1, I2], I).

holdsFor(doing(P, walk_along(Q))=true, I) :-
    holdsFor(around(P, Q)=true, Near),
    holdsFor(walking(P)=true, WalkP),
    holdsFor(walking(Q)=true, WalkQ),
    intersect_all([Near, WalkP, WalkQ], Both),
    intDurGreater(Both, 2000, I).

holdsFor(doing(P, fight(Q))=true, I) :-
    holdsFor(around(P, Q)=true, Near),
    holdsFor(abrupt(P)=true, AbruptP),
    holdsFor(abrupt(Q)=true, AbruptQ),
    union_all([AbruptP, AbruptQ], Abrupt),
    intersect_all([Near, Abrupt], Both),
    holdsFor(inactive(P)=true, InactiveP),
    holdsFor(inactive(Q)=true, InactiveQ),
    relative_complement_all(Both, [InactiveP, InactiveQ], I).

% ------------------------------------------------------------ what to tell the guard

happensAt(alarm(fight(P, Q)), T) :-
    happensAt(start(doing(P, fight(Q))=true), T).
happensAt(alarm(luggage(O, P)), T) :-
    happensAt(start(left_behind(by(P), O)=true), T).
