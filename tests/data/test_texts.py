"""Encoding text: the kernel for few short labels against Arrow's own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.data import columns as encoding

TEXTS = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            ["", "a", "b", "aaaaaaaa", "aaaaaaab", "baaaaaaa", "aaaaaaaaa", "aaaaaaaaaaaaaaaa", "\0", "\0\0", "é"]
        ),
    ),
    max_size=120,
)


by_kernel = getattr(encoding._encode, "compiled", encoding._encode)  # whatever came before in this process


def decoded(chunk):
    codes, labels = encoding.encode_text_array(chunk)
    assert len(codes) == len(chunk)
    assert len(set(labels)) == len(labels)
    if str(chunk.type) != "string_view":
        for encode in (encoding._encode_by_arrow, by_kernel):
            again, same = encode(chunk)
            assert (again.tolist(), same) == (codes.tolist(), labels)
    return [None if code < 0 else labels[code] for code in codes.tolist()]


@given(texts=TEXTS, large=st.booleans(), start=st.integers(0, 10))
@settings(deadline=None)
def test_texts_come_back(texts, large, start):
    chunk = pa.array(texts, pa.large_string() if large else pa.string())[start:]
    assert decoded(chunk) == texts[start:]


@given(texts=st.lists(st.none() | st.sampled_from(["x", "y", "zz"]), max_size=30))
@settings(deadline=None)
def test_nulls(texts):
    assert decoded(pa.array(texts, pa.string())) == texts


@pytest.mark.parametrize("number", [63, 64, 65, 1000])
def test_many_labels(number):
    texts = [f"label{i}" for i in range(number)] * 2
    assert decoded(pa.array(texts)) == texts


@pytest.mark.parametrize("length", [7, 8, 9, 15, 16, 17, 100])
def test_lengths(length):
    texts = ["x" * length, "y" + "x" * (length - 1), "x" * (length - 1) + "y", "x" * length, "", "x" * (length // 2)]
    assert decoded(pa.array(texts)) == texts


def test_dictionaries():
    chunk = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], pa.uint8()), pa.array(["a", "b"]))
    codes, labels = encoding.encode_text_array(chunk)
    assert codes.tolist() == [1, -1, 0, 1]
    assert labels == ["a", "b"]


def test_the_last_texts_of_a_buffer():
    """The kernel reads eight bytes at a time, and no byte past the end."""
    for texts in (["abcdefgh", "i"], ["abcdefgh", "", ""], ["abcdefg", "hi"], ["a"] * 8, ["abcdefghij", "klm"]):
        assert decoded(pa.array(texts)) == texts


def test_codes_are_small():
    codes, _ = by_kernel(pa.array(["aaaa", "bbbb"] * 50))
    assert codes.dtype == np.int8
