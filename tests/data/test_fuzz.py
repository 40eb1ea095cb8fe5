"""Mutated CSV files give a table or an error of ours: never another exception, and never late.

``BNML_FUZZ`` in the environment sets how many are tried.
"""

from __future__ import annotations

import os
import random
import time
import warnings

import pytest

from bnml.data import read
from bnml.errors import BnmlError

N = int(os.environ.get("BNML_FUZZ", "1500"))

SEEDS = [
    b"a,b,c\nNone,True,<5\nMild,False,12+\nNone,True,Asy/Patch\nNA,True,<5\n",
    b'"name, one";"two"\n"x ""y""";1\n"line\nbreak";2\n;3\n',
    b"\xef\xbb\xbfage\tsick\r\n50.5\tyes\r\n61\tno\r\n?\tno\r\n",
    b"x|y\n1|2\n3|4\n05|NaN\n1.0|1e5\n",
    "größe,farbe\nklein,grün\ngroß,blau\n".encode(),
    b"only\n1\n\n2\n",
]
PIECES = [
    *(b'"', b'""', b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b" ", b"\\"),
    *(b"?", b"NaN", b"1e999", b"-0", b"inf", b"9" * 400, b"a" * 3000, b"\n" * 50, "\u2028".encode()),
]


def mutated(rng: random.Random) -> bytes:
    text = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randint(1, 6)):
        i, j = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        match rng.randint(0, 5):
            case 0:
                text[i:i] = rng.choice(PIECES)
            case 1:
                del text[i : min(j, i + 5)]
            case 2:
                text[i:i] = text[i : min(j, i + 20)]
            case 3 if text:
                text[min(i, len(text) - 1)] = rng.randint(0, 255)
            case 4:
                text = bytearray(bytes(text[:i]))
            case _:
                text[i : i + 1] = rng.choice(PIECES)
    return bytes(text)


def table_or_error(path, options):
    try:
        return read(path, **options)
    except BnmlError as error:
        return error


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_mutations(tmp_path, suffix):
    rng = random.Random(20261115)
    path = tmp_path / f"mutant{suffix}"
    options = [{}, {"missing": "state"}, {"missing": "drop", "bins": "mdl"}, {"bins": "width:3", "missing": "state"}]
    tables = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        path.write_bytes(b"a\tb\n1\t2.5\n2\t3.5\n1\t4.5\n")
        for some in options:  # what is compiled when it is first needed does not count
            table_or_error(path, some)
        for i in range(N):
            text = mutated(rng)
            path.write_bytes(text)
            start = time.process_time()  # a busy machine must not make it fail
            outcome = table_or_error(path, options[i % len(options)])
            if isinstance(outcome, BnmlError):
                assert 0 < len(str(outcome)) < 3000, text
            else:
                assert outcome.n_rows == int(outcome.weights.sum()) > 0, text
                tables += 1
            assert time.process_time() - start < 1.0, text
    assert 0.1 < tables / N < 0.9  # the changes are neither too wild nor too tame
