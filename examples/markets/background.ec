% Thresholds: a count of steps, and parts of a price. Change them here.
threshold(rally, 5).
threshold(stands_out, 0.001).
threshold(same_price, 0.0005).
