"""The sea: a coast with ports, islands, anchorages, fishing grounds and protected areas, on a plane in kilometres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int16]

#: The kinds of area, in the order of the columns of `Sea.areas_at`. A point is in at most one area of each kind.
KINDS = ("nearPorts", "anchorage", "fishing", "natura", "nearCoast")
PORT, ANCHORAGE, FISHING, NATURA, COAST = range(len(KINDS))

PORT_RADIUS = 4.0
ANCHORAGE_RADIUS = 3.0
COAST_BAND = 6.0
ISLAND_BAND = 6.0
CELL = 1.0  # side of a raster cell


@dataclass(frozen=True)
class Sea:
    width: float
    height: float
    ports: Floats  # x, y
    anchorages: Floats  # x, y
    fishing: Floats  # west, south, east, north
    names: tuple[str, ...]  # of all areas
    kinds: tuple[str, ...]  # their kinds, aligned
    raster: Codes  # cells x kinds: the area there, or -1
    rows: int

    def areas_at(self, x: Floats, y: Floats) -> Codes:
        """For each point and each kind the area it is in, or -1."""
        column = np.clip((x / CELL).astype(np.int64), 0, len(self.raster) // self.rows - 1)
        row = np.clip((y / CELL).astype(np.int64), 0, self.rows - 1)
        found: Codes = self.raster[column * self.rows + row]
        return found


def shore(y: Floats) -> Floats:
    """The x of the western shore line at each y."""
    shape: Floats = 20 + 9 * np.sin(y / 31.0) + 4 * np.sin(y / 8.0)
    return shape


def build_sea(vessels: int, rng: np.random.Generator) -> Sea:
    """A sea whose size grows with the fleet, so that traffic is equally dense for any number of vessels."""
    scale = max(0.35, float(np.sqrt(vessels / 1000)))
    width, height = 380.0 * scale, 300.0 * scale
    coast_y = np.arange(12.0, height - 8, 20.0)
    coast_ports = np.stack([shore(coast_y) + 1, coast_y], 1)
    islands = _spread(rng, 90, width - 25, 15, height - 15, 75.0)
    ports = np.concatenate([coast_ports, islands])
    bearing = rng.uniform(-0.6, 0.6, len(ports))
    anchorages = ports + 9.5 * np.stack([np.cos(bearing), np.sin(bearing)], 1)
    fishing = _boxes(rng, _spread(rng, 55, width - 30, 5, height - 30, 45.0), 12, 24)
    # every second fishing ground has a protected corner; the other protected areas lie apart
    corner = fishing[::2][:, [2, 3, 2, 3]] + np.array([-5.5, -5.5, 6.0, 6.0])
    natura = np.concatenate([corner, _boxes(rng, fishing[1::4, 2:] + 14, 6, 10)])
    names, kinds, raster, rows = _paint(width, height, ports, len(coast_ports), anchorages, fishing, natura)
    return Sea(width, height, ports, anchorages, fishing, names, kinds, raster, rows)


def _spread(rng: np.random.Generator, west: float, east: float, south: float, north: float, gap: float) -> Floats:
    """Points on a shaken grid: never nearer to each other than about half the gap."""
    columns, lines = max(1, int((east - west) / gap)), max(1, int((north - south) / gap))
    x, y = np.meshgrid(
        west + (np.arange(columns) + 0.5) * (east - west) / columns,
        south + (np.arange(lines) + 0.5) * (north - south) / lines,
    )
    points = np.stack([x.ravel(), y.ravel()], 1)
    shaken: Floats = points + rng.uniform(-gap / 5, gap / 5, points.shape)
    return shaken


def _boxes(rng: np.random.Generator, corners: Floats, low: float, high: float) -> Floats:
    return np.concatenate([corners, corners + rng.uniform(low, high, corners.shape)], 1)


def _paint(
    width: float, height: float, ports: Floats, coast_ports: int, anchorages: Floats, fishing: Floats, natura: Floats
) -> tuple[tuple[str, ...], tuple[str, ...], Codes, int]:
    """Names of the areas and the raster that tells which of them cover a cell."""
    columns, rows = int(width / CELL) + 40, int(height / CELL) + 1
    layers = np.full((columns, rows, len(KINDS)), -1, np.int16)
    names: list[str] = []
    kinds: list[str] = []

    def area(name: str, kind: int) -> int:
        names.append(name)
        kinds.append(KINDS[kind])
        return len(names) - 1

    y: Floats = ((np.arange(rows) + 0.5) * CELL).astype(np.float64)
    x = (np.arange(columns) + 0.5) * CELL
    layers[:, :, COAST][x[:, None] < shore(y)[None, :] + COAST_BAND] = area("mainland", COAST)
    for number, (px, py) in enumerate(ports):
        if number >= coast_ports:
            _disc(layers[:, :, COAST], px, py, ISLAND_BAND, area(f"island{number}", COAST))
        _disc(layers[:, :, PORT], px, py, PORT_RADIUS, area(f"port{number}", PORT))
    for number, (ax, ay) in enumerate(anchorages):
        _disc(layers[:, :, ANCHORAGE], ax, ay, ANCHORAGE_RADIUS, area(f"anchorage{number}", ANCHORAGE))
    for kind, label, boxes in ((FISHING, "ground", fishing), (NATURA, "reserve", natura)):
        for number, (west, south, east, north) in enumerate(np.clip((boxes / CELL).astype(np.int64), 0, None)):
            layers[west:east, south:north, kind] = area(f"{label}{number}", kind)
    return tuple(names), tuple(kinds), layers.reshape(columns * rows, len(KINDS)), rows


def _disc(layer: Codes, x: float, y: float, radius: float, code: int) -> None:
    reach = int(radius / CELL) + 1
    column, row = max(0, int(x / CELL) - reach), max(0, int(y / CELL) - reach)
    window = layer[column : column + 2 * reach + 2, row : row + 2 * reach + 2]
    dx = (column + np.arange(window.shape[0]) + 0.5) * CELL - x
    dy = (row + np.arange(window.shape[1]) + 0.5) * CELL - y
    window[dx[:, None] ** 2 + dy[None, :] ** 2 < radius**2] = code
