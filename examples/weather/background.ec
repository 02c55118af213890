% Thresholds: miles an hour, miles, degrees Fahrenheit, counts. Change them here.
threshold(blizzard_wind, 35).
threshold(blizzard_visibility, 0.25).
threshold(blizzard_temperature, 32).
threshold(readings_in_a_row, 3).
threshold(stations_in_an_area, 3).
threshold(near_miles, 30).
threshold(dangerous_heat, 105).
threshold(fire_wind, 20).
