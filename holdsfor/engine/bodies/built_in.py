"""Built-in functions for columns: numbers are arrays of NumPy's, and texts are Arrow's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Column: TypeAlias = npt.NDArray[Any] | pa.Array

EARTH_RADIUS_KM = 6371.0088  # the mean radius
KM_IN_NAUTICAL_MILE = 1.852
#: The seconds of the years 1 to 9999.
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799


def _distance(scale: float, lat1: Floats, lon1: Floats, lat2: Floats, lon2: Floats) -> Floats:
    """Compute the great-circle distance."""
    phi1, phi2, half_lon = np.radians(lat1), np.radians(lat2), np.radians(lon2 - lon1) / 2
    square = np.sin((phi2 - phi1) / 2) ** 2 + np.cos(phi1) * np.cos(phi2) * np.sin(half_lon) ** 2
    distance: Floats = 2 * EARTH_RADIUS_KM * scale * np.arcsin(np.sqrt(np.minimum(square, 1.0)))
    return distance


def _bearing(lat1: Floats, lon1: Floats, lat2: Floats, lon2: Floats) -> Floats:
    """Compute the direction in which a great circle begins: degrees from north, clockwise, below 360."""
    phi1, phi2, lon = np.radians(lat1), np.radians(lat2), np.radians(lon2 - lon1)
    east = np.sin(lon) * np.cos(phi2)
    north = np.cos(phi1) * np.sin(phi2) - np.sin(phi1) * np.cos(phi2) * np.cos(lon)
    degrees = np.degrees(np.arctan2(east, north)) % 360.0
    return np.where(degrees == 360.0, 0.0, degrees)


def _angle_difference(one: Floats, other: Floats) -> Floats:
    """Compute the degrees between two directions, from 0 to 180."""
    difference = np.abs(one - other) % 360.0
    return np.minimum(difference, 360.0 - difference)


# ---------------------------------------------------------------- text


def _test(one_part: Callable[..., pa.Array], each_part: Callable[..., Any], texts: pa.Array, parts: pa.Array) -> Column:
    """Test each text for its part, all at once where they have the same."""
    if len(parts.unique()) == 1:
        return one_part(texts, pattern=parts[0].as_py())
    strings = np.dtypes.StringDType()
    return np.asarray(each_part(np.array(texts.to_pylist(), strings), np.array(parts.to_pylist(), strings)), np.bool_)


def _contains(texts: Any, parts: Any) -> Any:
    return np.strings.find(texts, parts) >= 0


def _concat(*texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*texts, "")


def _substring(texts: pa.Array, first: Ints, length: Ints) -> pa.Array:
    """Cut so many characters out of each text; the first is 1."""
    cut = texts
    if len(np.unique(first)) == len(np.unique(length)) == 1:
        if first[0] > 0 and length[0] >= 0:
            cut = pc.utf8_slice_codeunits(texts, int(first[0]) - 1, int(first[0] + length[0]) - 1)
    else:
        places = zip(texts.to_pylist(), (first - 1).tolist(), (first + length - 1).tolist(), strict=True)
        cut = pa.array([text[max(begin, 0) : max(end, 0)] for text, begin, end in places], pa.string())
    return pc.if_else(pa.array((first > 0) & (length >= 0)), cut, pa.scalar(None, pa.string()))


# ---------------------------------------------------------------- times


def _of_time(read: Callable[[pa.Array], pa.Array], seconds: Ints, zones: pa.Array | None = None) -> pa.Array:
    """Read what clocks and calendars of a zone show; nothing outside of the years 1 to 9999."""
    is_inside = (seconds >= FIRST_SECOND) & (seconds <= LAST_SECOND)
    times = pa.array(np.where(is_inside, seconds, 0), pa.timestamp("s", "UTC"))
    shown = read(times)
    for zone in [] if zones is None else zones.unique().to_pylist():
        in_zone = pc.equal(zones, zone)
        shown = pc.if_else(in_zone, read(times.cast(pa.timestamp("s", zone))), shown)
    return pc.if_else(pa.array(is_inside), shown, pa.scalar(None, shown.type))


def _weekday(times: pa.Array) -> pa.Array:
    return pc.day_of_week(times, count_from_zero=False)


def _date(times: pa.Array) -> pa.Array:
    return pc.strftime(times, format="%Y-%m-%d")


#: By the names of `language.functions.BUILT_IN`.
COLUMNS: dict[str, Callable[..., Column]] = {
    "distance_km": partial(_distance, 1.0),
    "distance_m": partial(_distance, 1000.0),
    "distance_nm": partial(_distance, 1 / KM_IN_NAUTICAL_MILE),
    "bearing": _bearing,
    "angle_difference": _angle_difference,
    "text_length": pc.utf8_length,
    "upper": pc.utf8_upper,
    "lower": pc.utf8_lower,
    "starts_with": partial(_test, pc.starts_with, np.strings.startswith),
    "ends_with": partial(_test, pc.ends_with, np.strings.endswith),
    "contains": partial(_test, pc.match_substring, _contains),
    "concat": _concat,
    "substring": _substring,
    "hour": partial(_of_time, pc.hour),
    "minute": partial(_of_time, pc.minute),
    "weekday": partial(_of_time, _weekday),
    "date": partial(_of_time, _date),
}
