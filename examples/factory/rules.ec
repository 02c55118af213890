% What happens to the machines of a factory.
%
% Reading a rule. initiatedAt: from the next second on the fluent has this value, until something ends it. holdsFor:
% intervals made of other intervals. fi: the value changes by itself after so long. p: each reason begins that time anew.

input event reading/3.  % machine, degrees Celsius, vibration in mm/s
input event started/1.  % machine
input event stopped/2.  % machine, reason
input event door/2.     % machine, open or closed

% ================================================================ one machine

% A machine runs from its start to its stop.
initiatedAt(running(M)=true, T) :-
    happensAt(started(M), T).
terminatedAt(running(M)=true, T) :-
    happensAt(stopped(M, _), T).

% Two limits, so that a reading that wavers around one of them does not begin and end it again and again.
initiatedAt(hot(M)=true, T) :-
    happensAt(reading(M, Celsius, _), T),
    limit(M, hot, Limit),
    Celsius > Limit.
terminatedAt(hot(M)=true, T) :-
    happensAt(reading(M, Celsius, _), T),
    limit(M, cool, Limit),
    Celsius =< Limit.

holdsFor(overheated(M)=true, Long) :-
    holdsFor(hot(M)=true, Hot),
    holdsFor(running(M)=true, Running),
    intersect_all([Hot, Running], Both),
    intDurGreater(Both, 15 min, Long).

% Nothing heard for ten minutes: each reading begins the ten minutes anew.
initiatedAt(contact(M)=alive, T) :-
    happensAt(reading(M, _, _), T).
fi(contact(M)=alive, contact(M)=lost, 10 min).
p(contact(_)=alive).

% A door is open while the machine runs.
initiatedAt(doorOpen(M)=true, T) :-
    happensAt(door(M, open), T).
terminatedAt(doorOpen(M)=true, T) :-
    happensAt(door(M, closed), T).
happensAt(unsafe(M), T) :-
    happensAt(door(M, open), T),
    holdsAt(running(M)=true, T).
happensAt(unsafe(M), T) :-
    happensAt(started(M), T),
    holdsAt(doorOpen(M)=true, T).

% Three jams within half an hour: somebody should look at it before it breaks.
jams(M, N) <- stopped(M, jam) AGGREGATE N = count OVER LAST 30 min.
keepsJamming(M) <- jams(M, N) WHERE N >= 3.

% ================================================================ a line

% A machine waits for the one before it: that one stands still for more than five minutes while this one runs.
initiatedAt(standing(M)=true, T) :-
    happensAt(stopped(M, _), T).
terminatedAt(standing(M)=true, T) :-
    happensAt(started(M), T).
holdsFor(starved(M)=true, Long) :-
    holdsFor(standing(Before)=true, Standing),
    feeds(Before, M),
    holdsFor(running(M)=true, Running),
    intersect_all([Standing, Running], Both),
    intDurGreater(Both, 5 min, Long).

% Two machines of a line stand still at the same time for more than two minutes.
holdsFor(shortOfMachines(Line)=true, Long) :-
    holdsFor(standing(A)=true, One),
    holdsFor(standing(B)=true, Other),
    machine(A, Line, Place),
    machine(B, Line, Later),
    Place < Later,
    intersect_all([One, Other], Both),
    intDurGreater(Both, 2 min, Long).

feeds(Before, M) :-
    machine(Before, Line, Place),
    machine(M, Line, Next),
    Next is Place+1.
