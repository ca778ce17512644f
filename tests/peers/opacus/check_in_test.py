"""Tests that what Opacus trains with is a round of check-ins: exact coins, noise on every record, every round charged.

    tools/check-peers opacus

Adapters that are wrong on purpose must fail the same tests.
"""

import math
import sys
import unittest
from unittest import mock

import torch
from opacus.optimizers import DPOptimizer
from small_training import Training, network, plan_of, records
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import muster
import muster.opacus
from muster.opacus import CheckInOptimizer
from muster.opacus._rounds import CheckIns
from muster.rounds import Round

FALSE_ALARM = 1e-6


def deviation_bounds(count):
    """Returns bounds that the mean of `count` squared standard normals passes with probability FALSE_ALARM at most.

    Laurent and Massart (2000), Lemma 1: each side is passed with probability at most exp(-x).
    """
    x = math.log(2 / FALSE_ALARM)
    return 1 - 2 * math.sqrt(x / count), 1 + 2 * math.sqrt(x / count) + 2 * x / count


class CheckInTest(unittest.TestCase):
    # The batches are the clients that check in in the plan's population, each once.
    def test_batches_are_the_check_ins(self):
        for plan in (plan_of(), plan_of(protocol="subset", subset=5, rate=None), plan_of(seed=9),
                     plan_of(protocol="shuffle", rate=None, rounds=3)):
            crowd = muster.Population(plan, dimension=1)
            expected = []
            for _ in range(crowd.rounds):
                with crowd.round() as r:
                    expected.append(sorted(r.clients.tolist()))
                    r.send(r.clients, [[0.0]] * len(r.clients))
            self.assertEqual([sorted(batch) for batch in Training(plan).run()], expected)

    # The order is secret and fresh: that of 20 records is sorted, or equal to another, with probability 1/20! < 1e-18.
    def test_orders_are_of_a_fresh_shuffle(self):
        plan = plan_of(protocol="shuffle", rate=None, rounds=3)
        orders = Training(plan).run() + Training(plan).run()
        self.assertNotIn(list(range(20)), orders)
        self.assertEqual(len({tuple(order) for order in orders}), 6)

    # Gradients of zero show the noise alone: a mean over k messages has the deviation sigma clip / sqrt(k).
    def test_every_record_has_noise_of_its_own(self):
        dimension, records_there = 20_000, 50
        plan = plan_of(clients=records_there, protocol="shuffle", rate=None, sigma=2.0, clip=0.5, rounds=1)
        layer = nn.Linear(dimension, 1, bias=False)
        nn.init.zeros_(layer.weight)
        layer, optimizer, loader, _ = muster.opacus.make_private(
            layer, torch.optim.SGD(layer.parameters(), lr=1.0),
            DataLoader(TensorDataset(torch.ones(records_there, dimension))), plan)
        for (inputs,) in loader:
            (0 * layer(inputs)).mean().backward()
            optimizer.step()
        noise = next(layer.parameters()).detach().double() / (2.0 * 0.5 / math.sqrt(records_there))
        observed = float((noise ** 2).mean())
        low, high = deviation_bounds(dimension)
        print(f"n = {dimension}: the mean square is {observed:.4f}, expected in [{low:.4f}, {high:.4f}]")
        self.assertTrue(low < observed < high, observed)

    # An empty round costs what every round costs, whether or not the program calls step for it.
    def test_every_round_is_charged(self):
        plan = plan_of()
        cost = float(muster.account(plan))
        for skip_empty in (False, True):
            training = Training(plan)
            seen = training.run(skip_empty=skip_empty)
            self.assertGreater(seen.count([]), 0)
            self.assertEqual(len(training.accountant), 40)
            self.assertEqual(training.accountant.get_epsilon(1e-4), cost)

    # Ctrl-C may come when the population has begun a round and the loader does not have it yet.
    def test_a_round_is_charged_if_ctrl_c_comes_while_it_begins(self):
        training, begin = Training(plan_of()), Round.__enter__

        def interrupted(opened):
            begin(opened)
            raise KeyboardInterrupt

        with mock.patch.object(Round, "__enter__", interrupted), self.assertRaises(KeyboardInterrupt):
            next(iter(training.loader))
        self.assertEqual(len(training.accountant), 1)
        self.assertEqual(len(training.run()), 39)
        self.assertEqual(len(training.accountant), 40)

    # A loop of plain autograd, record by record, over a population of its own has the same parameters.
    def test_parameters_are_those_of_a_slow_loop(self):
        plan = plan_of(clients=50, rate=0.3, rounds=10)
        inputs, targets = records(50)
        for reduction, step in (("mean", 0.3), ("sum", 0.3)):
            model, crowd = network(), None
            parameters = list(model.parameters())
            crowd = muster.Population(plan, dimension=sum(each.numel() for each in parameters))
            for _ in range(crowd.rounds):
                with crowd.round() as r:
                    for client in r.clients:
                        loss = nn.MSELoss(reduction=reduction)(model(inputs[int(client)][None]), targets[int(client)][None])
                        gradient = torch.autograd.grad(loss, parameters)
                        r.send([client], torch.cat([each.flatten() for each in gradient])[None])
                moved = torch.from_numpy(r.mean) * (r.count if reduction == "sum" else 1)
                with torch.no_grad():
                    for each, piece in zip(parameters, moved.split([each.numel() for each in parameters])):
                        each -= step * piece.view(each.shape)
            training = Training(plan, reduction=reduction)
            training.run()
            slow = torch.cat([each.detach().flatten() for each in parameters])
            self.assertLess(float((training.theta - slow).abs().max()), 1e-4 * float(slow.abs().max()))


class NoiseOnTheSum(CheckInOptimizer):
    """Draws one noise for the sum of a batch, as a stock optimizer does."""

    def clip_and_accumulate(self):
        self._rounds._sent += len(self.grad_samples[0])
        DPOptimizer.clip_and_accumulate(self)

    def add_noise(self):
        self._decoded = True
        self._count = max(1, len(self._rounds._clients))
        self._rounds.abandon()
        DPOptimizer.add_noise(self)

    def scale_grad(self):
        for parameter in self.params:
            parameter.grad /= self._count


class ChargedInStep(CheckInOptimizer):
    """Charges in step, as Opacus does, and so misses a round for which a program does not call it."""

    def attach_step_hook(self, fn):
        self.step_hook = fn
        self._rounds.charge = lambda: None


class CoinsIgnored(CheckInOptimizer):
    """Takes the next records instead of those that checked in."""

    def check_ins(self):
        class InTurn(CheckIns):
            def __iter__(self):
                at = 0
                for clients in super().__iter__():
                    yield [(at + i) % 20 for i in range(len(clients))]
                    at += len(clients)

        return InTurn(self._rounds, self.sample_rate)


class ShuffleForgotten(CheckInOptimizer):
    """Gives the records of a round in the order of the data set."""

    def check_ins(self):
        class Sorted(CheckIns):
            def __iter__(self):
                return map(sorted, super().__iter__())

        return Sorted(self._rounds, self.sample_rate)


class WrongAdapters(unittest.TestCase):
    # Each wrong adapter fails exactly the tests above whose names are listed here.
    def test_each_fails(self):
        loop = "test_parameters_are_those_of_a_slow_loop"
        expected = {
            NoiseOnTheSum: {"test_every_record_has_noise_of_its_own", loop},
            ChargedInStep: {"test_every_round_is_charged", "test_a_round_is_charged_if_ctrl_c_comes_while_it_begins"},
            CoinsIgnored: {"test_batches_are_the_check_ins", "test_orders_are_of_a_fresh_shuffle", loop},
            ShuffleForgotten: {"test_orders_are_of_a_fresh_shuffle", loop},
        }
        for adapter, names in expected.items():
            with self.subTest(adapter.__name__), mock.patch("muster.opacus.private.CheckInOptimizer", adapter):
                result = unittest.TestResult()
                unittest.defaultTestLoader.loadTestsFromTestCase(CheckInTest).run(result)
                failed = {test.id().rsplit(".", 1)[1] for test, _ in result.failures}
                self.assertEqual((failed, result.errors), (names, []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
