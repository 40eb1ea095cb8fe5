"""R-hat and effective size against their definitions, and against chains of which both are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bnml.uncertainty import diagnostics


def naive_r_hat(halves):
    n = len(halves[0])
    means = [sum(chain) / n for chain in halves]
    within = sum(sum((x - m) ** 2 for x in chain) / (n - 1) for chain, m in zip(halves, means, strict=True)) / len(
        halves
    )
    whole = sum(means) / len(means)
    between = n * sum((m - whole) ** 2 for m in means) / (len(means) - 1)
    return math.sqrt(((n - 1) / n * within + between / n) / within)


def naive_size(halves):
    """Geyer's initial monotone sequence, lag by lag."""
    n, chains = len(halves[0]), len(halves)
    means = [sum(chain) / n for chain in halves]

    def covariance(lag):
        return (
            sum(
                sum((chain[t] - m) * (chain[t + lag] - m) for t in range(n - lag)) / n
                for chain, m in zip(halves, means, strict=True)
            )
            / chains
        )

    within = covariance(0) * n / (n - 1)
    whole = sum(means) / chains
    spread = within * (n - 1) / n + sum((m - whole) ** 2 for m in means) / (chains - 1)
    rho = [1.0] + [1 - (within - covariance(lag)) / spread for lag in range(1, n)]
    time, last = -1.0, math.inf
    for k in range(0, n - 1, 2):
        pair = rho[k] + rho[k + 1]
        if pair <= 0 and k > 0:
            break
        last = min(last, pair)
        time += 2 * last
    return n * chains / max(time, 1 / math.log10(n * chains))


def correlated(seed, chains, samples, rho):
    rng = np.random.default_rng(seed)
    x = np.empty((chains, samples))
    x[:, 0] = rng.normal(size=chains)
    for t in range(1, samples):
        x[:, t] = rho * x[:, t - 1] + math.sqrt(1 - rho**2) * rng.normal(size=chains)
    return x


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.95])
def test_the_definitions(seed, rho):
    values = correlated(seed, 3, 61, rho)
    halves = diagnostics.split_chains(values[None])
    assert halves.shape == (1, 6, 30)
    assert halves[0, 0].tolist() == values[0, :30].tolist()
    assert halves[0, 3].tolist() == values[0, 31:].tolist()
    assert diagnostics.split_r_hat(halves)[0] == pytest.approx(naive_r_hat(halves[0].tolist()), rel=1e-10)
    assert diagnostics.effective_sizes(halves)[0] == pytest.approx(naive_size(halves[0].tolist()), rel=1e-9)


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_the_effective_size_of_a_known_process(rho):
    r_hat, size = diagnostics.diagnose_numbers(correlated(1, 4, 10_000, rho))
    assert size == pytest.approx(40_000 * (1 - rho) / (1 + rho), rel=0.2)
    assert r_hat == pytest.approx(1.0, abs=0.01)


def test_chains_that_disagree():
    values = correlated(0, 4, 500, 0.0)
    values[0] += 3.0
    r_hat, size = diagnostics.diagnose_numbers(values)
    assert r_hat > 1.3
    assert size < 30
    values = correlated(0, 4, 500, 0.0)
    values[0] *= 6.0  # the same middle, another spread
    assert diagnostics.diagnose_numbers(values)[0] > 1.1


def test_a_chain_that_drifts():
    drifting = np.linspace(0, 5, 1000)[None] + correlated(0, 1, 1000, 0.0)
    assert diagnostics.diagnose_numbers(drifting)[0] > 1.3


def test_ranks_do_not_change_what_is_there_or_not():
    draws = np.random.default_rng(0).random((4, 300, 3)) < [0.5, 0.05, 0.9]
    found = diagnostics.diagnose(draws)
    for k in range(3):
        halves = diagnostics.split_chains(diagnostics.normal_scores(draws[:, :, k].astype(float))[None])
        assert found.r_hat[k] == pytest.approx(diagnostics.split_r_hat(halves)[0], rel=1e-9)
        assert found.effective_size[k] == pytest.approx(diagnostics.effective_sizes(halves)[0], rel=1e-6)


def test_what_never_changes():
    found = diagnostics.diagnose(np.ones((4, 100, 2), bool))
    assert found.r_hat.tolist() == [1.0, 1.0]
    assert np.isnan(found.effective_size).all()
    assert diagnostics.diagnose_numbers(np.full((2, 50), 3.0))[0] == 1.0
    once = np.zeros((2, 101, 1), bool)
    once[0, 50] = True  # in the sample that is in neither half
    found = diagnostics.diagnose(once)
    assert found.r_hat[0] == 1.0
    assert found.effective_size[0] > 0
    stuck = np.zeros((4, 100, 1), bool)
    stuck[0] = True
    found = diagnostics.diagnose(stuck)
    assert found.r_hat[0] == np.inf
    assert found.effective_size[0] < 10


def test_too_few_samples_say_nothing():
    found = diagnostics.diagnose(np.array([[[0], [1], [0]], [[1], [0], [1]]], bool))
    assert found.r_hat[0] == np.inf
    assert diagnostics.diagnose_numbers(np.array([[1.0, 2.0], [2.0, 3.0]]))[0] == np.inf


def test_many_quantities_in_blocks(monkeypatch):
    draws = np.random.default_rng(0).random((4, 50, 11)) < 0.4
    whole = diagnostics.diagnose(draws)
    monkeypatch.setattr(diagnostics, "BLOCK", 600)
    parts = diagnostics.diagnose(draws)
    assert parts.r_hat == pytest.approx(whole.r_hat, rel=1e-12)
    assert parts.effective_size == pytest.approx(whole.effective_size, rel=1e-12)
