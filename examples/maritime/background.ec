% Thresholds of rules.ec: speeds in knots, angles in degrees, times in seconds.
threshold(underWayMin, 1.0).
threshold(movingMin, 0.5).
threshold(highSpeedNearCoast, 10.0).
threshold(driftAngle, 30.0).
threshold(trawlMin, 1.0).
threshold(trawlMax, 9.0).
threshold(searchMin, 2.7).
threshold(tuggingMin, 1.2).
threshold(tuggingMax, 15.0).
threshold(tuggingTime, 600).
threshold(loiteringTime, 1800).
threshold(rendezVousTime, 600).

oneIsTug(Vessel1, _) :- vesselType(Vessel1, tug).
oneIsTug(_, Vessel2) :- vesselType(Vessel2, tug).

oneIsPilot(Vessel1, _) :- vesselType(Vessel1, pilotvessel).
oneIsPilot(_, Vessel2) :- vesselType(Vessel2, pilotvessel).

% angleDiff(A, B, D): D is the smaller angle between the directions A and B, 0 to 180.
angleDiff(A, B, D) :-
    Turned is A - B + 180,
    D is abs(Turned - 360 * floor(Turned / 360) - 180).
