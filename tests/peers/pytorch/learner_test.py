"""Tests muster.torch: vectors and modules, the gradients of many clients, and the learner.

    tools/check-peers pytorch

The oracle is a loop of plain autograd over clients. Learners that are wrong on purpose must fail the same tests.
"""

import math
import sys
import unittest
from unittest import mock

import numpy as np
import torch
from torch import nn

import muster
import muster.torch

FALSE_ALARM = 1e-6


class Odd(nn.Module):
    """A shared layer, a frozen layer, a buffer, a parameter of no dimension, one of no elements, and one transposed."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.again = self.first
        self.tied = nn.Linear(3, 3, bias=False)
        self.tied.weight = self.first.weight
        self.frozen = nn.Linear(3, 3).requires_grad_(False)
        self.register_buffer("shift", torch.ones(3))
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.nothing = nn.Parameter(torch.zeros(0, 5))
        self.turned = nn.Parameter(torch.arange(6.0).reshape(2, 3).T)

    def forward(self, x):
        return (self.scale * self.again(torch.tanh(self.frozen(self.first(x)))) + self.tied(x) + self.shift) @ self.turned


def cnn():
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(1, 3, 3), nn.GroupNorm(1, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 4))


def people(seed=0, counts=(1, 3, 0, 2, 3, 1, 5, 2)):
    """Returns the records of some clients: images and labels."""
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(count, 1, 8, 8, generator=generator), torch.randint(0, 4, (count,), generator=generator))
            for count in counts]


def slow_gradients(model, loss, records):
    """Returns each client's gradient by autograd, one client after the other."""
    parameters = [each for each in model.parameters() if each.requires_grad]
    rows = []
    for inputs, targets in records:
        row = torch.zeros(sum(each.numel() for each in parameters))
        for x, y in zip(inputs, targets):
            each = torch.autograd.grad(loss(model(x[None]), y[None]), parameters, allow_unused=True)
            flat = [torch.zeros(p.numel()) if g is None else g.flatten() for g, p in zip(each, parameters)]
            row += torch.cat(flat) / len(inputs)
        rows.append(row)
    return torch.stack(rows)


def together(records):
    return (torch.cat([inputs for inputs, _ in records]), torch.cat([targets for _, targets in records]),
            [len(inputs) for inputs, _ in records])


class Vectors(unittest.TestCase):
    def test_round_trip(self):
        model = Odd()
        before = {name: value.clone() for name, value in model.state_dict().items()}
        vector = muster.torch.flatten(model)
        self.assertEqual((vector.dtype, vector.shape, vector.is_contiguous()), (torch.float32, (3 * 3 + 3 + 1 + 6,), True))
        # The vector is a copy.
        other = torch.randn(vector.shape)
        muster.torch.unflatten(model, other)
        self.assertFalse(torch.equal(vector, other))
        self.assertTrue(torch.equal(muster.torch.flatten(model), other))
        self.assertIs(model.first.weight, model.again.weight)
        for name in ("frozen.weight", "frozen.bias", "shift"):
            self.assertTrue(torch.equal(model.state_dict()[name], before[name]), name)
        muster.torch.unflatten(model, vector.numpy())
        for name, value in model.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)

    def test_order_is_that_of_named_parameters(self):
        model = Odd()
        expected = torch.cat([each.detach().flatten() for each in model.parameters() if each.requires_grad])
        self.assertTrue(torch.equal(muster.torch.flatten(model), expected))

    def test_refusals(self):
        half, mixed, lazy = nn.Linear(2, 2).half(), nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double()), nn.LazyLinear(2)
        whole = nn.Linear(2, 2).to(torch.bfloat16)
        for model, words in ((half, "parameter weight has type torch.float16"),
                             (mixed, "parameter 1.weight has type torch.float64; allowed: torch.float32"),
                             (whole, "torch.bfloat16"),
                             (lazy, "has no values yet"), (nn.ReLU(), "no trainable parameter"),
                             (nn.Linear(2, 2).requires_grad_(False), "no trainable parameter")):
            for call in (lambda: muster.torch.flatten(model), lambda: muster.torch.unflatten(model, torch.zeros(6)),
                         lambda: muster.torch.client_gradients(model, nn.functional.mse_loss)):
                with self.assertRaisesRegex(muster.PlanError, words):
                    call()
        # A frozen parameter may have another type, because it is no part of the vector.
        frozen = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double().requires_grad_(False))
        self.assertEqual(len(muster.torch.flatten(frozen)), 6)
        layer = nn.Linear(2, 2)
        before = muster.torch.flatten(layer)
        for vector in (torch.zeros(5), torch.zeros(1, 6), torch.zeros(6, dtype=torch.float64), np.zeros(6), "six", None,
                       np.zeros(6, dtype=np.int64)):
            with self.assertRaisesRegex(muster.PlanError, r"vector.*allowed: float32 of shape \(6,\)"):
                muster.torch.unflatten(layer, vector)
        self.assertTrue(torch.equal(muster.torch.flatten(layer), before))


class Gradients(unittest.TestCase):
    def close(self, found, expected):
        self.assertEqual(found.shape, expected.shape)
        self.assertLess(float((found - expected).abs().max()), 1e-5 * (1 + float(expected.abs().max())))

    def test_against_autograd(self):
        model, records = cnn(), people()
        found = muster.torch.client_gradients(model, nn.functional.cross_entropy)(*together(records))
        self.close(found, slow_gradients(model, nn.functional.cross_entropy, records))
        self.assertEqual((found.dtype, found.requires_grad), (torch.float32, False))
        self.assertTrue((found[2] == 0).all())
        odd, generator = Odd(), torch.Generator().manual_seed(2)
        rows = [(torch.randn(m, 3, generator=generator), torch.randn(m, 2, generator=generator)) for m in (2, 1, 4)]
        self.close(muster.torch.client_gradients(odd, nn.functional.mse_loss)(*together(rows)),
                   slow_gradients(odd, nn.functional.mse_loss, rows))
        # The module is as it was, also where layers share a parameter.
        self.assertIsInstance(odd.first.weight, nn.Parameter)
        self.assertIs(odd.first.weight, odd.tied.weight)

    # A function that was made before the model changed uses the model's present parameters.
    def test_parameters_of_the_moment(self):
        model, records = cnn(), people()
        gradients = muster.torch.client_gradients(model, nn.functional.cross_entropy)
        before = gradients(*together(records))
        muster.torch.unflatten(model, muster.torch.flatten(model) * 2)
        self.close(gradients(*together(records)), slow_gradients(model, nn.functional.cross_entropy, records))
        self.assertFalse(torch.equal(gradients(*together(records)), before))

    def test_local_steps(self):
        model, records = cnn(), people()
        found = muster.torch.client_changes(model, nn.functional.cross_entropy, steps=3, rate=0.2)(*together(records))
        start = muster.torch.flatten(model)
        for row, (inputs, targets) in zip(found, records):
            muster.torch.unflatten(model, start)
            for _ in range(3 if len(inputs) else 0):
                slope = slow_gradients(model, nn.functional.cross_entropy, [(inputs, targets)])[0]
                muster.torch.unflatten(model, muster.torch.flatten(model) - 0.2 * slope)
            self.close(row, start - muster.torch.flatten(model))
        muster.torch.unflatten(model, start)

    def test_no_clients(self):
        model = cnn()
        rows = muster.torch.client_gradients(model, nn.functional.cross_entropy)(torch.zeros(0, 1, 8, 8), torch.zeros(0))
        self.assertEqual(rows.shape, (0, len(muster.torch.flatten(model))))

    # Rows go to a round without a copy.
    def test_rows_are_not_copied(self):
        from muster._arrays import rows_of

        rows = muster.torch.client_gradients(cnn(), nn.functional.cross_entropy)(*people()[1])
        array = rows_of(rows, *rows.shape)
        self.assertEqual(array.__array_interface__["data"][0], rows.data_ptr())

    def test_refusals(self):
        records = people()
        noisy, normed = nn.Sequential(cnn(), nn.Dropout()), nn.Sequential(nn.BatchNorm2d(1), cnn())
        for model, loss, arguments, words in (
                (noisy, nn.functional.cross_entropy, together(records), "dropout"),
                (normed, nn.functional.cross_entropy, together(records), "layer 0 is a BatchNorm2d in training"),
                (cnn(), nn.CrossEntropyLoss(reduction="none"), together(records), "loss has shape"),
                (cnn(), nn.functional.cross_entropy, (*together(records)[:2], [1, 2]), "the clients hold 3 records"),
                (cnn(), nn.functional.cross_entropy, (*together(records)[:2], [18, -1]), "no negative count"),
                (cnn(), nn.functional.cross_entropy, (*together(records)[:2], [8.5, 8.5]), "counts has shape")):
            with self.assertRaisesRegex(muster.MusterError, words):
                muster.torch.client_gradients(model, loss)(*arguments)
        for model in (noisy.eval(), normed.eval()):
            self.close(muster.torch.client_gradients(model, nn.functional.cross_entropy)(*together(records)),
                       slow_gradients(model, nn.functional.cross_entropy, records))
        for changes, words in (({"steps": 0}, "steps = 0"), ({"steps": True}, "steps = True"), ({"rate": 0.0}, "rate = 0"),
                               ({"rate": math.nan}, "rate = nan"), ({"rate": math.inf}, "rate = inf")):
            with self.assertRaisesRegex(muster.PlanError, words):
                muster.torch.client_changes(cnn(), nn.functional.cross_entropy, **{"steps": 1, "rate": 0.1, **changes})


def plan_of(**changes):
    stated = {"protocol": "shuffled-check-in", "clients": 8, "rate": 0.5, "randomizer": "gaussian", "sigma": 1.0,
              "clip": 0.5, "rounds": 12, "delta": 1e-4}
    return muster.plan(**{name: value for name, value in {**stated, **changes}.items() if value is not None})


def fitted(plan, records, *, model=None, **options):
    model = model or cnn()
    learner = muster.torch.Learner(model, nn.functional.cross_entropy, records, plan, **{"rate": 0.3, **options})
    learner.fit()
    return learner, muster.torch.flatten(model)


class LearnerTest(unittest.TestCase):
    # A slow loop over a population of its own has the same parameters, with other protocols and randomizers, too.
    def test_parameters_are_those_of_a_slow_loop(self):
        records = people()
        for changes in ({}, {"protocol": "shuffle", "rate": None}, {"protocol": "subset", "rate": None, "subset": 3},
                        {"randomizer": "ldp-sgd", "sigma": None, "epsilon0": 4.0}):
            plan, model = plan_of(**changes), cnn()
            crowd = muster.Population(plan, dimension=len(muster.torch.flatten(model)))
            for _ in range(crowd.rounds):
                rows = slow_gradients(model, nn.functional.cross_entropy, records)
                with crowd.round() as r:
                    r.send(r.clients, rows[r.clients.astype(np.int64)])
                if r.decoded:
                    muster.torch.unflatten(model, muster.torch.flatten(model) - 0.3 * torch.from_numpy(r.mean))
            _, theta = fitted(plan, records)
            self.assertLess(float((theta - muster.torch.flatten(model)).abs().max()), 2e-3)

    # Gradients of zero show the noise alone: a mean over k messages has the deviation sigma clip / sqrt(k).
    def test_every_client_has_noise_of_its_own(self):
        dimension, clients = 20_000, 50
        plan = plan_of(clients=clients, protocol="shuffle", rate=None, sigma=2.0, clip=0.5, rounds=1)
        model = nn.Linear(dimension, 1, bias=False)
        nn.init.zeros_(model.weight)
        muster.torch.Learner(model, lambda outputs, targets: (0 * outputs).mean(),
                             (torch.ones(clients, dimension), torch.zeros(clients)), plan).fit()
        observed = float(((muster.torch.flatten(model).double() / (2.0 * 0.5 / math.sqrt(clients))) ** 2).mean())
        # Laurent and Massart (2000), Lemma 1: each side is passed with probability at most exp(-x).
        x = math.log(2 / FALSE_ALARM)
        low = 1 - 2 * math.sqrt(x / dimension)
        high = 1 + 2 * math.sqrt(x / dimension) + 2 * x / dimension
        print(f"n = {dimension}: the mean square is {observed:.4f}, expected in [{low:.4f}, {high:.4f}]")
        self.assertTrue(low < observed < high, observed)

    def test_every_round_is_charged(self):
        plan = plan_of(clients=3, rate=0.1)
        learner, _ = fitted(plan, people(counts=(1, 2, 1)))
        self.assertEqual((learner.population.begun, learner.epsilon.upper), (12, muster.account(plan).upper))

    def test_batches_and_threads_change_nothing(self):
        plan, records = plan_of(clients=100), people(counts=[1 + i % 4 for i in range(100)])
        found = [fitted(plan, records, batch=batch, threads=threads)[1] for batch, threads in ((256, 1), (256, 2), (7, 1), (1, 2))]
        self.assertTrue(torch.equal(found[0], found[1]))
        # torch may round a gradient differently in a batch of another shape.
        for other in found[2:]:
            self.assertLess(float((other - found[0]).abs().max()), 1e-4)

    def test_local_steps_and_one_record_a_client(self):
        inputs, targets = together(people(counts=[1] * 8))[:2]
        plan = plan_of()
        for options in ({}, {"local_steps": 3, "local_rate": 0.1}):
            of_list = fitted(plan, people(counts=[1] * 8), **options)[1]
            of_pair = fitted(plan, (inputs, targets), **options)[1]
            self.assertTrue(torch.equal(of_list, of_pair))

    def test_optimizers_and_schedules(self):
        records, model = people(), cnn()
        with_own = fitted(plan_of(), records, rate=None, model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.3))[1]
        self.assertTrue(torch.equal(with_own, fitted(plan_of(), records)[1]))
        seen = []
        fitted(plan_of(rounds=3), records, rate=lambda t: seen.append(t) or 0.1)
        self.assertTrue(set(seen) <= {1, 2, 3})
        adam = cnn()
        moved = fitted(plan_of(), records, rate=None, model=adam, optimizer=torch.optim.Adam(adam.parameters()))[1]
        self.assertFalse(torch.equal(moved, muster.torch.flatten(cnn())))

    # Frozen parameters and buffers stay as they are.
    def test_only_trainable_parameters_move(self):
        model = nn.Sequential(nn.BatchNorm2d(1).eval().requires_grad_(False), cnn())
        before = {name: value.clone() for name, value in model[0].state_dict().items()}
        fitted(plan_of(), people(), model=model)
        for name, value in model[0].state_dict().items():
            self.assertTrue(torch.equal(value, before[name]))

    def test_going_on(self):
        import tempfile

        plan, records = plan_of(), people()
        whole = fitted(plan, records)[1]
        model = cnn()
        learner = muster.torch.Learner(model, nn.functional.cross_entropy, records, plan, rate=0.3)
        learner.fit(5)
        with tempfile.TemporaryDirectory() as folder:
            learner.population.save(f"{folder}/population.json")
            crowd = muster.Population.resume(f"{folder}/population.json")
        again = muster.torch.Learner(model, nn.functional.cross_entropy, records, plan, rate=0.3, population=crowd)
        self.assertEqual(again.fit().population.begun, 12)
        self.assertTrue(torch.equal(muster.torch.flatten(model), whole))

    def test_refusals(self):
        model, records, plan = cnn(), people(), plan_of()
        crowd = muster.Population(plan, dimension=3)
        for changes, words in (({"data": records[:-1]}, "records of 7 clients; allowed: 8"),
                               ({"data": (torch.zeros(8, 1), torch.zeros(7))}, "as many inputs as targets"),
                               ({"batch": 0}, "batch = 0"), ({"local_steps": 2}, "local_rate goes with local_steps"),
                               ({"local_rate": 0.1}, "local_rate goes with local_steps"),
                               ({"rate": 0.1, "optimizer": torch.optim.SGD(model.parameters(), lr=1.0)}, "rate goes with"),
                               ({"population": crowd}, "population has 3 numbers"),
                               ({"population": crowd, "threads": 1}, "threads belongs"),
                               ({"plan": plan_of(clip=None)}, "randomizer.clip"), ({"key": "mine"}, "key = 'mine'")):
            with self.assertRaisesRegex(muster.MusterError, words):
                muster.torch.Learner(model, nn.functional.cross_entropy, **{"data": records, "plan": plan, **changes})
        learner = muster.torch.Learner(model, nn.functional.cross_entropy, records, plan)
        for rounds in (-1, 1.5, True, "2"):
            with self.assertRaises(muster.PlanError) as caught:
                learner.fit(rounds)
            error = caught.exception
            self.assertEqual((error.code, error.key, error.value), (2, "rounds", repr(rounds)))
            self.assertEqual(error.allowed, "integer >= 0, or None for all that are left")
        self.assertEqual(learner.fit(0).population.begun, 0)
        budget = plan_of(budget=float(muster.account(plan_of(rounds=4))))
        learner = muster.torch.Learner(model, nn.functional.cross_entropy, records, budget)
        with self.assertRaises(muster.BudgetReached):
            learner.fit()
        self.assertEqual(learner.population.begun, 4)
        records[3][0][0] = math.nan
        learner = muster.torch.Learner(model, nn.functional.cross_entropy, records, plan_of(protocol="shuffle", rate=None))
        with self.assertRaisesRegex(muster.DataError, "client 3"):
            learner.fit()


class NoiseOnTheSum(muster.torch.Learner):
    """Draws one noise for the sum of a round, as a trusted server would."""

    def _move(self, r):
        noise = torch.randn(len(self._parameters[0].flatten())) * 2.0 * 0.5 / r.count
        with torch.no_grad():
            self._parameters[0] -= noise.view(self._parameters[0].shape)


class RoundsForFree(muster.torch.Learner):
    """Counts only rounds in which somebody sent."""

    def fit(self, rounds=None, *, callback=None):
        counted = []
        super().fit(rounds, callback=lambda r: counted.append(r.count > 0))
        self.counted = sum(counted)

    @property
    def epsilon(self):
        return muster.account(self.population.plan.replace({"rounds.count": self.counted}))


class CoinsIgnored(muster.torch.Learner):
    """Computes the gradients of the next clients instead of those that checked in."""

    def _records(self, clients):
        return super()._records(torch.arange(len(clients)))


class WrongLearners(unittest.TestCase):
    def test_each_fails(self):
        loop = "test_parameters_are_those_of_a_slow_loop"
        for wrong, name in ((NoiseOnTheSum, "test_every_client_has_noise_of_its_own"),
                            (RoundsForFree, "test_every_round_is_charged"), (CoinsIgnored, loop)):
            with self.subTest(wrong.__name__), mock.patch("muster.torch.Learner", wrong):
                result = unittest.TestResult()
                LearnerTest(name).run(result)
                self.assertEqual((len(result.failures), result.errors), (1, []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
