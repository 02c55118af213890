% How near two tracked people or objects are, from their positions: distance(P, Q, Near)=true where the distance of P and
% Q, in pixels, is at most Near and above the band before. It stands for the Prolog program with which RTEC prepares the
% same data before each query time: put it in the place of pre-processing.prolog in defaults.toml.
%
% A position is reported point by point, a frame of the video every 40 ms, and is one interval while it stays the same.
% The start of an interval is one frame before its first point, and its end the last point: so what is true of the next
% frame begins there.

points(coord(_, _, _)=true).

band(-1, 24).
band(24, 25).
band(25, 30).
band(30, 34).

apart(X1, Y1, X2, Y2, Near) :-
    Distance is sqrt((X1 - X2) * (X1 - X2) + (Y1 - Y2) * (Y1 - Y2)),
    band(Beyond, Near),
    Distance > Beyond,
    Distance =< Near.

initiatedAt(distance(P, Q, Near)=true, T) :-
    happensAt(start(coord(P, X1, Y1)=true), T),
    Next is T+40,
    holdsAt(coord(Q, X2, Y2)=true, Next),
    P @< Q,
    apart(X1, Y1, X2, Y2, Near).

initiatedAt(distance(P, Q, Near)=true, T) :-
    happensAt(start(coord(Q, X2, Y2)=true), T),
    Next is T+40,
    holdsAt(coord(P, X1, Y1)=true, Next),
    P @< Q,
    apart(X1, Y1, X2, Y2, Near).

terminatedAt(distance(P, Q, Near)=true, T) :-
    (happensAt(end(coord(P, _, _)=true), T) ; happensAt(end(coord(Q, _, _)=true), T)),
    holdsAt(coord(P, X1, Y1)=true, T),
    holdsAt(coord(Q, X2, Y2)=true, T),
    P @< Q,
    apart(X1, Y1, X2, Y2, Near),
    Next is T+40,
    \+ (holdsAt(coord(P, X3, Y3)=true, Next), holdsAt(coord(Q, X4, Y4)=true, Next), apart(X3, Y3, X4, Y4, Near)).
