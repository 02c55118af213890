% What the weather is up to: patterns over the readings of many stations, after the examples of the ETALIS paper.
%
% Reading a rule. head <- pattern: the head occurs whenever the pattern does, and as long. A SEQ B: A, later B.
% A AND B: both, in any order. NOT(C).[A, B]: A, later B, and no C in between. (P).3h: a P that takes at most three hours.
% Thresholds are in background.ec; the stations and how far they are from each other in stations.ec.

input event reading/5.    % station, temperature (F), humidity (%), wind (miles an hour), visibility (miles)
input event reported/1.   % a fire near a station
input event localised/1.  % the fire brigade has it under control

% ================================================================ a blizzard, from one reading to an area

% One reading: strong wind, poor sight, frost; or not.
severe(Station) <- reading(Station, Temperature, _, Wind, Visibility) WHERE isSevere(Temperature, Wind, Visibility).
mild(Station) <- reading(Station, Temperature, _, Wind, Visibility) WHERE \+ isSevere(Temperature, Wind, Visibility).

isSevere(Temperature, Wind, Visibility) :-
    threshold(blizzard_wind, Strong),
    Wind >= Strong,
    threshold(blizzard_visibility, Poor),
    Visibility =< Poor,
    threshold(blizzard_temperature, Frost),
    Temperature =< Frost.

% So many readings in a row: no other reading of the station lies between one and the next.
settling(Station, 1) <- severe(Station).
settling(Station, C+1) <-
    NOT(reading(Station, _, _, _, _)).[settling(Station, C), severe(Station)]
        WHERE (threshold(readings_in_a_row, N), C < N).
settled(Station) <- settling(Station, N) WHERE threshold(readings_in_a_row, N).

% Each blizzard begins once at a station: after the last mild reading.
onset(Station) <- NOT(reading(Station, _, _, _, _)).[mild(Station), settled(Station)].

% It settles in an area, that is, around a station: at so many stations near it within three hours. Stations are counted
% in the order of their numbers, so that each set of stations is counted once.
onsetNear(Centre, Number) <- onset(Station) WHERE (near(Centre, Station), station(Station, Number)).
areaSettling(Centre, Number, 1) <- onsetNear(Centre, Number).
areaSettling(Centre, Next, C+1) <-
    (areaSettling(Centre, Number, C) AND onsetNear(Centre, Next)).3h
        WHERE (Number < Next, threshold(stations_in_an_area, N), C < N).
blizzardWarning(Centre) <- areaSettling(Centre, _, N) WHERE threshold(stations_in_an_area, N).

near(Station, Station) :- station(Station, _).
near(Centre, Station) :-
    distance(Centre, Station, Miles),
    threshold(near_miles, Most),
    Miles =< Most.
near(Centre, Station) :-
    distance(Station, Centre, Miles),
    threshold(near_miles, Most),
    Miles =< Most.

% ================================================================ heat

% How hot it feels: the regression of the US weather service, for 80 F and 40 % or more.
heatIndex(Station, Index) <-
    reading(Station, Temperature, Humidity, _Wind, _Visibility) WHERE feelsLike(Temperature, Humidity, Index).

feelsLike(T, R, Index) :-
    T >= 80,
    R >= 40,
    Linear is -42.379 + 2.04901523 * T + 10.14333127 * R - 0.22475541 * T * R,
    Squares is 0.00683783 * T * T + 0.05481717 * R * R,
    Mixed is 0.00122874 * T * T * R + 0.00085282 * T * R * R - 0.00000199 * T * T * R * R,
    Index is Linear - Squares + Mixed.

% Dangerous on average over the last hour, by three readings or more.
heatWarning(Station, Mean) <-
    heatIndex(Station, Index) AGGREGATE Mean = avg(Index), N = count OVER LAST 1 h
        WHERE (N >= 3, threshold(dangerous_heat, Limit), Mean >= Limit).

% ================================================================ fire

% The wind has risen by half within an hour, and is strong.
windIncrease(Station, Wind) <-
    (reading(Station, _, _, Before, _) SEQ reading(Station, _, _, Wind, _)).1h
        WHERE (threshold(fire_wind, Strong), Wind >= Strong, Wind >= 1.5*Before).

% A fire that has been reported and not localised when the wind rises, within six hours.
fireAlarm(Station) <- (NOT(localised(Station)).[reported(Station), windIncrease(Station, _)]).6h.

% A fire of which nothing has been heard for four hours.
unattended(Station) <- NOT(localised(Station)).[reported(Station), 4 h].
