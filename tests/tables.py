"""Tables that a person might bring: made up from a seed, or real ones that packages of the tests ship."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import pandas
from sklearn.datasets import load_digits

TABLES: dict[str, "Table"] = {}


@dataclass(frozen=True)
class Table:
    """A file, how it is read where the reader asks, and what is expected of it.

    ``standardised`` and ``left_out`` are the choices made on reading; ``says`` begins the sentence about the first
    component of the usual k.
    """

    make: Callable[[], bytes]
    filename: str
    standardised: bool
    left_out: tuple[str, ...] = ()
    says: str = ""
    label: str | None = None
    missing: str = "refuse"


def table(filename: str, *, standardised: bool, says: str, **more: object) -> Callable:
    """Enter a table under the name of its maker."""

    def entered(make: Callable[[], pandas.DataFrame | bytes]) -> Callable:
        def content() -> bytes:
            made = make()
            if isinstance(made, bytes):
                return made
            return made.to_csv(index=False).encode()

        TABLES[make.__name__] = Table(content, filename, standardised, says=says, **more)
        return make

    return entered


def shipped(package: str, *path: str) -> bytes:
    """Return a file that comes with a package."""
    return files(package).joinpath(*path).read_bytes()


@table(
    "digits.csv",
    standardised=False,
    says="pixel_5_3, pixel_4_2, pixel_4_3, pixel_5_2, pixel_5_4, pixel_2_3 and 10 more rise together weakly",
    left_out=("pixel_0_0", "pixel_4_0", "pixel_4_7"),
)
def digits():
    return load_digits(as_frame=True).data


@table(
    "gapminder.csv",
    standardised=True,
    says="lifeExp and gdpPercap rise together",
    label="continent",
    left_out=("year",),
)
def gapminder():
    return gzip.decompress(shipped("plotly", "package_data", "datasets", "gapminder.csv.gz"))


@table("pbmc.h5ad", standardised=False, says="LST1, FTL, AIF1, TYROBP, FCER1G, PSAP and 34 more rise together")
def pbmc():
    return shipped("scanpy", "datasets", "10x_pbmc68k_reduced.h5ad")


def _random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@table("people.csv", standardised=True, says="income, rent and spend rise together", left_out=("person_id",))
def people():
    rng = _random(7)
    money, body = rng.standard_normal((2, 200))
    own = iter(rng.standard_normal((12, 200)))
    return pandas.DataFrame(
        {
            "name": [f"Person {i:03d}" for i in range(1, 201)],
            "person_id": range(1, 201),
            "income": (30_000 + 9_000 * (money + 0.5 * next(own))).round(),
            "spend": (1_500 + 400 * (money + 0.7 * next(own))).round(2),
            "rent": (800 + 200 * (money + 0.6 * next(own))).round(1),
            "age": (45 + 12 * next(own)).round(),
            "height_cm": (172 + 9 * (body + 0.8 * next(own))).round(1),
            "weight_kg": (74 + 11 * (body + 0.9 * next(own))).round(1),
            "steps": (8_000 + 2_500 * next(own)).round(),
            "sleep_h": (7 + 0.8 * next(own)).round(2),
            "coffee": (2 + 0.5 * next(own)).round(1),
            "town": rng.choice(["Bern", "Basel", "Chur"], 200),
        }
    )


@table(
    "sensors.csv",
    standardised=True,
    says="power_w and temperature_c rise together",
    left_out=("timestamp", "firmware", "power_copy"),
)
def sensors():
    rng = _random(4)
    load = np.sin(np.arange(400) / 30)[:, None] + 0.2 * rng.standard_normal((400, 3))
    made = pandas.DataFrame({"timestamp": 1_700_000_000 + 60 * np.arange(400)})
    made["power_w"] = (1_500 + 400 * load[:, 0]).round(1)
    made["current_a"] = (6.5 + 1.7 * load[:, 1]).round(3)
    made["temperature_c"] = (60 + 5 * load[:, 2]).round(2)
    made["humidity"] = (45 + 6 * rng.standard_normal(400)).round(1)
    made["pressure_pa"] = (101_325 + 300 * rng.standard_normal(400)).round()
    made["firmware"] = 3
    made["power_copy"] = made["power_w"]
    return made


@table("school.csv", standardised=True, says="maths and physics rise together", missing="mean")
def school():
    rng = _random(6)
    effort = rng.standard_normal(150)
    own = iter(rng.standard_normal((6, 150)))
    frame = pandas.DataFrame(
        {
            "student": [f"S{i:04d}" for i in range(150)],
            "maths": (60 + 12 * (effort + 0.6 * next(own))).round(),
            "physics": (58 + 11 * (effort + 0.6 * next(own))).round(),
            "reading": (65 + 10 * (effort + 0.8 * next(own))).round(),
            "absent_days": np.maximum(0, (9 - 4 * (effort + 0.6 * next(own))).round()),
            "screen_min": (180 - 60 * (effort + 0.9 * next(own))).round(),
            "shoe_size": (40 + 2 * next(own)).round(1),
        }
    )
    frame.loc[[3, 77], "reading"] = np.nan
    return frame
