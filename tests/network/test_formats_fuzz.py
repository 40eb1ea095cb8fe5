"""Whatever is done to a file, a network or a clear error comes out, and soon.

``BNML_FUZZ=100000 pytest tests/network/test_formats_fuzz.py`` tries more.
"""

from __future__ import annotations

import os
import random
import time

import pytest

from bnml.errors import BnmlError
from bnml.network.network import BayesianNetwork
from tests.network.test_formats import FORMATS, GOOD, SAMPLES

MUTATIONS = int(os.environ.get("BNML_FUZZ", "2000"))  # of each format
PIECES = [
    *rb'{ } ( ) [ ] ; , | " \ /* */ // % = : < > & <!-- <![CDATA[ 0 1 - 1e999 nan 99999999 0.5 default table'.split(),
    *rb'property variable probability node states [100] true null "a" bnml_name </ /> ]]> \u0000 <!ENTITY'.split(),
    *(b"\0", b"\xff", b"\xc3", b"\n", b" ", "\u2028".encode(), "\u00a0".encode()),
]

SEEDS = {form: [text.encode()] for form, text in GOOD.items()}
for module, sample in SAMPLES.values():
    name = next(form for form, known in FORMATS.items() if known is module)
    SEEDS[name].append(sample if isinstance(sample, bytes) else sample.encode())


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """Return one of the seeds with a few bytes changed, pieces cut out, doubled, exchanged or put in."""
    text = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if not text:
            break
        i, j = sorted((rng.randrange(len(text)), rng.randrange(len(text))))
        match rng.randrange(9):
            case 0:
                text[i] = rng.randrange(256)
            case 1:
                del text[i : min(j, i + rng.choice((1, 5, 50)))]
            case 2:
                text[i:i] = rng.choice(PIECES)
            case 3:
                text[i:i] = text[i : min(j, i + 200)]
            case 4:
                text[j:j] = text[i : min(j, i + 30)]
            case 5:
                words = text.split(b" ")
                a, b = rng.randrange(len(words)), rng.randrange(len(words))
                words[a], words[b] = words[b], words[a]
                text = bytearray(b" ".join(words))
            case 6:
                lines = text.split(b"\n")
                a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[a], lines[b] = lines[b], lines[a]
                text = bytearray(b"\n".join(lines))
            case 7:
                text[i : i + 1] = rng.choice(PIECES)
            case 8:
                other = rng.choice(seeds)
                text = text[:i] + other[rng.randrange(len(other)) :]
    return bytes(text)


@pytest.mark.parametrize("form", FORMATS)
def test_mutated_files(form):
    rng = random.Random(form)
    read, networks, slowest = FORMATS[form].read, 0, 0.0
    for _ in range(MUTATIONS):
        content = mutated(rng, SEEDS[form])
        start = time.process_time()  # a busy machine must not make it fail
        try:
            network = read(content, "FILE")
        except BnmlError as error:
            if not str(error).startswith("FILE, line "):
                raise AssertionError(f"{error} has no line, from {content!r}") from error
        except BaseException as error:
            raise AssertionError(f"{error!r} from {content!r}") from error
        else:
            assert isinstance(network, BayesianNetwork)
            networks += 1
        slowest = max(slowest, time.process_time() - start)
    assert slowest < 1.0
    assert 0.01 < networks / MUTATIONS < 0.9  # the changes are neither too wild nor too tame
