% What is happening at sea: rules over the critical points of vessel tracks.
%
% Reading a rule. initiatedAt(F=V, T) says when F takes the value V, terminatedAt(F=V, T) when it loses it; in between it
% holds. What is initiated at T holds from the second after T on, up to and including the second of its termination.
% holdsFor(F=V, I) builds the intervals I of F=V from those of other fluents.
% Thresholds are in background.ec, in knots, degrees and seconds. Facts about vessels and areas are in fleet.ec.

input event velocity/4.
input event change_in_speed_start/1.
input event change_in_speed_end/1.
input event change_in_heading/1.
input event stop_start/1.
input event stop_end/1.
input event slow_motion_start/1.
input event slow_motion_end/1.
input event gap_start/1.
input event gap_end/1.
input event entersArea/2.
input event leavesArea/2.
input fluent proximity/2.

% ================================================================ where a vessel is, and whether we hear it

% withinArea(Vessel, Kind): in an area of that kind (nearPorts, anchorage, fishing, natura, nearCoast).
% When the vessel falls silent we no longer know; it is reported again with the first position after the gap.
initiatedAt(withinArea(Vessel, Kind)=true, T) :-
    happensAt(entersArea(Vessel, Area), T),
    areaType(Area, Kind).
terminatedAt(withinArea(Vessel, Kind)=true, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    areaType(Area, Kind).
terminatedAt(withinArea(Vessel, _Kind)=true, T) :-
    happensAt(gap_start(Vessel), T).

% gap(Vessel): no position for a long time. Near a port that is ordinary, far from one it calls for a look.
initiatedAt(gap(Vessel)=nearPorts, T) :-
    happensAt(gap_start(Vessel), T),
    holdsAt(withinArea(Vessel, nearPorts)=true, T).
initiatedAt(gap(Vessel)=farFromPorts, T) :-
    happensAt(gap_start(Vessel), T),
    \+ holdsAt(withinArea(Vessel, nearPorts)=true, T).
terminatedAt(gap(Vessel)=_Where, T) :-
    happensAt(gap_end(Vessel), T).

% ================================================================ how it moves

% stopped(Vessel): (almost) no speed, near a port or far from all.
initiatedAt(stopped(Vessel)=nearPorts, T) :-
    happensAt(stop_start(Vessel), T),
    holdsAt(withinArea(Vessel, nearPorts)=true, T).
initiatedAt(stopped(Vessel)=farFromPorts, T) :-
    happensAt(stop_start(Vessel), T),
    \+ holdsAt(withinArea(Vessel, nearPorts)=true, T).
terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(stop_end(Vessel), T).
terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(gap_start(Vessel), T).

% lowSpeed(Vessel): moves, but slowly.
initiatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_start(Vessel), T),
    \+ happensAt(gap_start(Vessel), T).
terminatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_end(Vessel), T).
terminatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_Where), T).

% changingSpeed(Vessel): speeds up or slows down.
initiatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(change_in_speed_start(Vessel), T).
terminatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(change_in_speed_end(Vessel), T).
terminatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(gap_start(Vessel), T).

% underWay(Vessel): makes way through the water.
initiatedAt(underWay(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(underWayMin, Min),
    Speed >= Min.
terminatedAt(underWay(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(underWayMin, Min),
    Speed < Min.
terminatedAt(underWay(Vessel)=true, T) :-
    happensAt(gap_start(Vessel), T).

% movingSpeed(Vessel): below, within or above the speeds that are usual for its type.
initiatedAt(movingSpeed(Vessel)=below, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(movingMin, MovingMin),
    Speed >= MovingMin,
    vesselType(Vessel, Type),
    typeSpeed(Type, Slowest, _Fastest, _Average),
    Speed < Slowest.
initiatedAt(movingSpeed(Vessel)=normal, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    vesselType(Vessel, Type),
    typeSpeed(Type, Slowest, Fastest, _Average),
    Speed >= Slowest,
    Speed =< Fastest.
initiatedAt(movingSpeed(Vessel)=above, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    vesselType(Vessel, Type),
    typeSpeed(Type, _Slowest, Fastest, _Average),
    Speed > Fastest.
terminatedAt(movingSpeed(Vessel)=_Range, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(movingMin, MovingMin),
    Speed < MovingMin.
terminatedAt(movingSpeed(Vessel)=_Range, T) :-
    happensAt(gap_start(Vessel), T).

% drifting(Vessel): under way, but the bow points elsewhere than the vessel goes. 511 means that no heading is sent.
initiatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel, _Speed, Course, Heading), T),
    Heading =\= 511,
    angleDiff(Course, Heading, Difference),
    threshold(driftAngle, Angle),
    Difference > Angle,
    holdsAt(underWay(Vessel)=true, T).
terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel, _Speed, Course, Heading), T),
    Heading =\= 511,
    angleDiff(Course, Heading, Difference),
    threshold(driftAngle, Angle),
    Difference =< Angle.
terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(end(underWay(Vessel)=true), T).

% highSpeedNearCoast(Vessel): faster than is safe near the coast.
initiatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(highSpeedNearCoast, Max),
    Speed > Max,
    holdsAt(withinArea(Vessel, nearCoast)=true, T).
terminatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(highSpeedNearCoast, Max),
    Speed =< Max.
terminatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, nearCoast)=true), T).

% ================================================================ what it is doing

% anchoredOrMoored(Vessel): stopped in an anchorage, or near a port.
holdsFor(anchoredOrMoored(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=farFromPorts, StoppedFar),
    holdsFor(withinArea(Vessel, anchorage)=true, InAnchorage),
    intersect_all([StoppedFar, InAnchorage], Anchored),
    holdsFor(stopped(Vessel)=nearPorts, Moored),
    union_all([Anchored, Moored], I).

% loitering(Vessel): slow or stopped at sea for long, neither near the coast nor at anchor nor fishing.
holdsFor(loitering(Vessel)=true, I) :-
    holdsFor(lowSpeed(Vessel)=true, Slow),
    holdsFor(stopped(Vessel)=farFromPorts, Stopped),
    union_all([Slow, Stopped], SlowOrStopped),
    holdsFor(withinArea(Vessel, nearCoast)=true, NearCoast),
    holdsFor(anchoredOrMoored(Vessel)=true, Anchored),
    holdsFor(trawling(Vessel)=true, Trawling),
    relative_complement_all(SlowOrStopped, [NearCoast, Anchored, Trawling], Idle),
    threshold(loiteringTime, Time),
    intDurGreater(Idle, Time, I).

% trawlSpeed(Vessel): a fishing vessel in a fishing area at the speed at which nets are towed.
initiatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    vesselType(Vessel, fishing),
    threshold(trawlMin, Min),
    threshold(trawlMax, Max),
    Speed >= Min,
    Speed =< Max,
    holdsAt(withinArea(Vessel, fishing)=true, T).
terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(trawlMin, Min),
    Speed < Min.
terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(trawlMax, Max),
    Speed > Max.
terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, fishing)=true), T).

% trawlingMovement(Vessel): a fishing vessel turns again and again in a fishing area.
initiatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, fishing),
    holdsAt(withinArea(Vessel, fishing)=true, T).
terminatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(stop_start(Vessel), T).
terminatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, fishing)=true), T).

% trawling(Vessel): both together.
holdsFor(trawling(Vessel)=true, I) :-
    holdsFor(trawlSpeed(Vessel)=true, Speed),
    holdsFor(trawlingMovement(Vessel)=true, Movement),
    intersect_all([Speed, Movement], I).

% illegalFishing(Vessel): trawling inside a protected area, whichever begins first.
initiatedAt(illegalFishing(Vessel)=true, T) :-
    happensAt(start(trawling(Vessel)=true), T),
    holdsAt(withinArea(Vessel, natura)=true, T).
initiatedAt(illegalFishing(Vessel)=true, T) :-
    happensAt(start(withinArea(Vessel, natura)=true), T),
    holdsAt(trawling(Vessel)=true, T).
terminatedAt(illegalFishing(Vessel)=true, T) :-
    happensAt(end(trawling(Vessel)=true), T).
terminatedAt(illegalFishing(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, natura)=true), T).

% sarMovement(Vessel): a rescue vessel turns and changes speed, as in a search.
initiatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, sar).
initiatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(start(changingSpeed(Vessel)=true), T),
    vesselType(Vessel, sar).
terminatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(stop_start(Vessel), T).
terminatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(gap_start(Vessel), T).

% searchAndRescue(Vessel): and it does so at speed.
initiatedAt(searchAndRescue(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(searchMin, Min),
    Speed >= Min,
    holdsAt(sarMovement(Vessel)=true, T).
terminatedAt(searchAndRescue(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(searchMin, Min),
    Speed < Min.
terminatedAt(searchAndRescue(Vessel)=true, T) :-
    happensAt(end(sarMovement(Vessel)=true), T).

% ================================================================ two vessels together

% tuggingSpeed(Vessel): as fast as a tow goes.
initiatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(tuggingMin, Min),
    threshold(tuggingMax, Max),
    Speed >= Min,
    Speed =< Max.
terminatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(tuggingMin, Min),
    Speed < Min.
terminatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _Course, _Heading), T),
    threshold(tuggingMax, Max),
    Speed > Max.
terminatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(gap_start(Vessel), T).

% tugging(Vessel1, Vessel2): close together at towing speed, and one of them is a tug.
holdsFor(tugging(Vessel1, Vessel2)=true, I) :-
    holdsFor(proximity(Vessel1, Vessel2)=true, Near),
    oneIsTug(Vessel1, Vessel2),
    holdsFor(tuggingSpeed(Vessel1)=true, Speed1),
    holdsFor(tuggingSpeed(Vessel2)=true, Speed2),
    intersect_all([Near, Speed1, Speed2], Together),
    threshold(tuggingTime, Time),
    intDurGreater(Together, Time, I).

% rendezVous(Vessel1, Vessel2): close together, both slow or stopped at sea, for more than a chance encounter.
% Near the coast, at anchor and on one fishing ground vessels are close for other reasons; tugs and pilots have their own
% definitions.
holdsFor(rendezVous(Vessel1, Vessel2)=true, I) :-
    holdsFor(proximity(Vessel1, Vessel2)=true, Near),
    \+ oneIsTug(Vessel1, Vessel2),
    \+ oneIsPilot(Vessel1, Vessel2),
    holdsFor(lowSpeed(Vessel1)=true, Slow1),
    holdsFor(lowSpeed(Vessel2)=true, Slow2),
    holdsFor(stopped(Vessel1)=farFromPorts, Stopped1),
    holdsFor(stopped(Vessel2)=farFromPorts, Stopped2),
    union_all([Slow1, Stopped1], Idle1),
    union_all([Slow2, Stopped2], Idle2),
    intersect_all([Near, Idle1, Idle2], Together),
    holdsFor(withinArea(Vessel1, nearCoast)=true, Coast1),
    holdsFor(withinArea(Vessel2, nearCoast)=true, Coast2),
    holdsFor(anchoredOrMoored(Vessel1)=true, Anchored1),
    holdsFor(anchoredOrMoored(Vessel2)=true, Anchored2),
    holdsFor(trawling(Vessel1)=true, Trawling1),
    holdsFor(trawling(Vessel2)=true, Trawling2),
    relative_complement_all(Together, [Coast1, Coast2, Anchored1, Anchored2, Trawling1, Trawling2], AtSea),
    threshold(rendezVousTime, Time),
    intDurGreater(AtSea, Time, I).

% pilotBoarding(Vessel1, Vessel2): a pilot vessel and a ship close together, both slow: one climbs over.
initiatedAt(pilotBoarding(Vessel1, Vessel2)=true, T) :-
    happensAt(start(proximity(Vessel1, Vessel2)=true), T),
    oneIsPilot(Vessel1, Vessel2),
    holdsAt(lowSpeed(Vessel1)=true, T),
    holdsAt(lowSpeed(Vessel2)=true, T).
initiatedAt(pilotBoarding(Vessel1, Vessel2)=true, T) :-
    happensAt(start(lowSpeed(Vessel1)=true), T),
    oneIsPilot(Vessel1, Vessel2),
    holdsAt(proximity(Vessel1, Vessel2)=true, T),
    holdsAt(lowSpeed(Vessel2)=true, T).
initiatedAt(pilotBoarding(Vessel1, Vessel2)=true, T) :-
    happensAt(start(lowSpeed(Vessel2)=true), T),
    oneIsPilot(Vessel1, Vessel2),
    holdsAt(proximity(Vessel1, Vessel2)=true, T),
    holdsAt(lowSpeed(Vessel1)=true, T).
terminatedAt(pilotBoarding(Vessel1, Vessel2)=true, T) :-
    happensAt(end(proximity(Vessel1, Vessel2)=true), T).
terminatedAt(pilotBoarding(Vessel1, _Vessel2)=true, T) :-
    happensAt(end(lowSpeed(Vessel1)=true), T).
terminatedAt(pilotBoarding(_Vessel1, Vessel2)=true, T) :-
    happensAt(end(lowSpeed(Vessel2)=true), T).

% ================================================================ what the watch officer is told at once

% A vessel begins to fish where it must not.
happensAt(alarm(illegalFishing, Vessel), T) :-
    happensAt(start(illegalFishing(Vessel)=true), T).

% A vessel falls silent far from port while it is slow or stopped: the mark of goods going over the side.
happensAt(alarm(goingDark, Vessel), T) :-
    happensAt(gap_start(Vessel), T),
    holdsAt(lowSpeed(Vessel)=true, T),
    \+ holdsAt(withinArea(Vessel, nearCoast)=true, T).
happensAt(alarm(goingDark, Vessel), T) :-
    happensAt(gap_start(Vessel), T),
    holdsAt(stopped(Vessel)=farFromPorts, T),
    \+ holdsAt(withinArea(Vessel, nearCoast)=true, T),
    \+ holdsAt(withinArea(Vessel, anchorage)=true, T).
