"""Tests check-ins with the rest of Opacus: BatchMemoryManager, PrivacyEngine, checkpoints, and what is refused.

    tools/check-peers opacus
"""

import io
import json
import math
import pathlib
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import opacus
import torch
from opacus.accountants import RDPAccountant
from opacus.optimizers import DPOptimizer
from opacus.schedulers import ExponentialGradClip, ExponentialNoise
from opacus.utils.batch_memory_manager import BatchMemoryManager
from small_training import Training, network, plan_of, records
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

import muster
import muster.opacus


def engine(accountant):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its generator, which is not used here
        return opacus.PrivacyEngine(accountant=accountant)


class Batches(unittest.TestCase):
    # What is sent, and so the parameters, does not depend on how a round is cut into physical batches. The loss is a
    # sum, because a mean would be divided by the size of a batch and multiplied by it again, with rounding errors.
    def test_physical_batches_leave_the_same_bits(self):
        images, labels = muster.digits("train", 2000)
        data = TensorDataset((torch.from_numpy(images)[:, None] / 255 - 0.1307) / 0.3081, torch.from_numpy(labels).long())
        plan = plan_of(clients=2000, rounds=200, clip=1.0)
        found = {}
        for size in (None, 64, 17):
            torch.manual_seed(1)
            model = nn.Sequential(nn.Conv2d(1, 4, 8, stride=4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10))
            model, optimizer, loader, accountant = muster.opacus.make_private(
                model, torch.optim.SGD(model.parameters(), lr=0.001), DataLoader(data), plan, loss_reduction="sum")

            def train(batches):
                for inputs, targets in batches:
                    self.assertLessEqual(len(inputs), size or 2000)
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(model(inputs), targets, reduction="sum").backward()
                    optimizer.step()

            while optimizer.population.begun < 200:
                if size is None:
                    train(loader)
                else:
                    with BatchMemoryManager(data_loader=loader, max_physical_batch_size=size, optimizer=optimizer) as cut:
                        train(cut)
            self.assertEqual(len(accountant), 200)
            found[size] = torch.cat([each.detach().flatten() for each in model.parameters()])
        self.assertTrue(torch.equal(found[None], found[64]))
        self.assertTrue(torch.equal(found[None], found[17]))

    # A program that skips empty batches leaves signals of BatchMemoryManager behind, which must not end a round early.
    def test_skipped_empty_batches(self):
        for skip_empty in (False, True):
            training = Training(plan_of(), reduction="sum")
            while training.optimizer.population.begun < 40:
                with BatchMemoryManager(data_loader=training.loader, max_physical_batch_size=2,
                                        optimizer=training.optimizer) as cut:
                    for inputs, targets in cut:
                        if len(inputs) > 0 or not skip_empty:
                            training.learn(inputs, targets)
            whole = Training(plan_of(), reduction="sum")
            whole.run(skip_empty=skip_empty)
            self.assertTrue(torch.equal(training.theta, whole.theta))

    def test_a_round_that_nobody_sends_in_moves_nothing(self):
        training = Training(plan_of(clients=5, rate=0.01, rounds=3), momentum=0.9)
        before = training.theta
        self.assertEqual(training.run(), [[], [], []])
        self.assertTrue(torch.equal(training.theta, before))
        self.assertEqual(len(training.accountant), 3)

    def test_functorch_gradients(self):
        hooks, functorch = Training(plan_of()), Training(plan_of(), grad_sample_mode="functorch")
        hooks.run()
        functorch.run()
        self.assertLess(float((hooks.theta - functorch.theta).abs().max()), 1e-5)

    def test_threads_and_fidelity(self):
        one, two, summed = (Training(plan_of(), **options) for options in
                            ({"threads": 1}, {"threads": 2}, {"fidelity": "sum"}))
        for each in (one, two, summed):
            each.run()
        self.assertTrue(torch.equal(one.theta, two.theta))
        self.assertFalse(torch.equal(one.theta, summed.theta))

    def test_schedules_of_the_learning_rate(self):
        training = Training(plan_of(rounds=4, clients=50))
        schedule = torch.optim.lr_scheduler.StepLR(training.optimizer, step_size=1, gamma=0.5)
        for inputs, targets in training.loader:
            training.learn(inputs, targets)
            schedule.step()
        self.assertEqual(schedule.get_last_lr(), [0.3 * 0.5 ** 4])


class Misuse(unittest.TestCase):
    def refused(self, words, call, kind=muster.UsageError):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(words, str(caught.exception))

    def test_a_batch_without_step(self):
        training = Training(plan_of(clients=100))
        batches = iter(training.loader)
        next(batches)
        self.refused("have not sent", lambda: next(batches))
        training.optimizer.abandon()
        training.run()
        self.assertEqual(len(training.accountant), 40)

    def test_a_batch_twice(self):
        training = Training(plan_of(clients=100))
        inputs, targets = next(iter(training.loader))
        training.learn(inputs, targets)
        self.refused("0 clients of the round have not sent", lambda: training.learn(inputs, targets))

    def test_records_left_out_or_added(self):
        training = Training(plan_of(clients=100))
        batches = iter(training.loader)
        inputs, targets = next(batches)
        self.refused("clients of the round have not sent yet",
                     lambda: training.learn(torch.cat([inputs, inputs]), torch.cat([targets, targets])))
        training.optimizer.abandon()
        before = training.theta
        inputs, targets = next(batches)
        training.learn(inputs[1:], targets[1:])
        self.assertTrue(torch.equal(training.theta, before))
        self.refused("1 of its clients", lambda: next(batches))

    # A loop that was left early leaves its round open. A round that is given up stays charged.
    def test_a_loop_that_is_left(self):
        training = Training(plan_of(clients=100))
        for _ in training.loader:
            break
        self.refused("optimizer.abandon() gives the round up", training.run)
        training.optimizer.abandon()
        self.assertEqual(len(training.run()), 39)
        self.assertEqual(len(training.accountant), 40)

    def test_no_rounds_left(self):
        training = Training(plan_of(rounds=2))
        training.run()
        self.refused("all 2 rounds of the plan have begun", lambda: next(iter(training.loader)))

    def test_budget(self):
        cost = float(muster.account(plan_of(rounds=5)))
        training = Training(plan_of(budget=cost))
        self.refused("privacy.budget", training.run, muster.BudgetReached)
        self.assertEqual(training.accountant.get_epsilon(1e-4), cost)

    # The budget is for everything that the accountant was charged, before this training and beside it.
    def test_budget_of_an_accountant_with_earlier_charges(self):
        plan = plan_of(rounds=4, budget=float(muster.account(plan_of(rounds=3))))
        for earlier in (1, 3):
            accountant = muster.opacus.accountant_class(clients=20)()
            Training(plan_of(rounds=earlier), accountant=accountant).run()
            training = Training(plan, accountant=accountant)
            with self.assertRaisesRegex(muster.BudgetReached, f"does not pay for round {4 - earlier}: 3 rounds") as caught:
                training.run()
            error = caught.exception
            self.assertEqual((error.code, error.kind, error.key, error.value),
                             (4, "budget", "privacy.budget", str(plan["privacy.budget"])))
            self.assertEqual((training.optimizer.population.begun, len(accountant)), (3 - earlier, 3))
            self.assertEqual(accountant.get_epsilon(1e-4), plan["privacy.budget"])
        accountant = muster.opacus.accountant_class(clients=20)()
        training, beside = Training(plan, accountant=accountant), Training(plan_of(), accountant=accountant)
        training.run(1)
        beside.run(2)
        self.refused("round 2: 3 rounds were charged before", training.run, muster.BudgetReached)
        unprotected = muster.opacus.accountant_class(clients=20)()
        unprotected.step(noise_multiplier=0.0, sample_rate=0.1)
        self.refused("round 1", Training(plan, accountant=unprotected).run, muster.BudgetReached)

    def test_gradients_that_are_not_finite(self):
        for on_bad in ("refuse", "neutral"):
            training = Training(plan_of(clients=100), on_bad=on_bad)
            inputs, targets = next(iter(training.loader))
            inputs[0, 1] = math.inf
            if on_bad == "refuse":
                before = training.theta
                self.refused(f"client {int(inputs[0, 0])}", lambda: training.learn(inputs, targets), muster.DataError)
                self.assertTrue(torch.equal(training.theta, before))
            else:
                training.learn(inputs, targets)
                self.assertTrue(torch.isfinite(training.theta).all())

    def test_gradients_that_are_used_twice(self):
        training = Training(plan_of(clients=100))
        inputs, targets = next(iter(training.loader))
        training.loss(training.model(inputs), targets).backward()
        training.optimizer.step()
        with self.assertRaisesRegex(ValueError, "zero_grad"):
            training.optimizer.step()


class Engine(unittest.TestCase):
    # PrivacyEngine.make_private attaches the hook to a stock optimizer, which draws one noise for the sum.
    def test_a_stock_optimizer_is_refused(self):
        accountant = muster.opacus.accountant_class(clients=20)
        module = network()
        before = torch.cat([each.detach().flatten() for each in module.parameters()]).clone()
        private = engine(accountant.mechanism())
        module, optimizer, loader = private.make_private(
            module=module, optimizer=torch.optim.SGD(module.parameters(), lr=1.0), noise_multiplier=1.0, max_grad_norm=1.0,
            data_loader=DataLoader(TensorDataset(*records(20)), batch_size=10))
        inputs, targets = next(iter(loader))
        nn.functional.mse_loss(module(inputs), targets).backward()
        with self.assertRaisesRegex(muster.UsageError, "DPOptimizer draws one noise for the sum.*CheckInOptimizer"):
            optimizer.step()
        self.assertTrue(torch.equal(torch.cat([each.detach().flatten() for each in module.parameters()]), before))
        self.assertEqual(len(private.accountant), 0)

    def test_hooks_of_others_are_refused(self):
        optimizer = Training(plan_of()).optimizer
        for accountant, rate, words in (
                (RDPAccountant(), 0.1, "noise on a sum"),
                (muster.opacus.accountant_class(clients=21)(), 0.1, "muster-shuffled-check-in-21"),
                (muster.opacus.accountant_class(clients=20, protocol="aggregated-check-in")(), 0.1, "aggregated"),
                (muster.opacus.accountant_class(clients=20)(), 0.2, "sample_rate = 0.2")):
            with self.assertRaisesRegex(muster.UsageError, words):
                optimizer.attach_step_hook(accountant.get_optimizer_hook_fn(rate))

    def test_schedulers_of_noise_are_refused(self):
        training = Training(plan_of())
        for scheduler in (ExponentialNoise, ExponentialGradClip):
            with self.assertRaisesRegex(muster.UsageError, "of the plan, and is fixed"):
                scheduler(training.optimizer, gamma=0.5).step()

    # A checkpoint of the engine goes on with the same bits, and its file can be read as weights only.
    def test_checkpoints(self):
        plan = plan_of(clients=100)
        whole = Training(plan, momentum=0.5)
        whole.run()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "checkpoint.pt"
            private = engine(muster.opacus.accountant_class(clients=100).mechanism())
            first = Training(plan, momentum=0.5, accountant=private.accountant)
            first.run(15)
            private.save_checkpoint(path=path, module=first.model, optimizer=first.optimizer)
            self.assertEqual(set(torch.load(path, weights_only=True)),
                             {"module_state_dict", "optimizer_state_dict", "privacy_accountant_state_dict"})
            again = engine(private.accountant.mechanism())
            second = Training(plan, momentum=0.5, accountant=again.accountant)
            again.load_checkpoint(path=path, module=second.model, optimizer=second.optimizer)
        self.assertEqual(len(second.accountant), 15)
        self.assertEqual(len(second.run()), 25)
        self.assertTrue(torch.equal(second.theta, whole.theta))
        self.assertEqual(again.get_epsilon(1e-4), float(muster.account(plan)))

    # A secret key is never in a checkpoint. A new one is drawn, so no noise is used twice.
    def test_secret_keys(self):
        plan = plan_of(clients=100)
        first = Training(plan, key="secret")
        first.run(15)
        state = first.optimizer.state_dict()
        self.assertEqual(state["muster"]["key"], "secret")
        self.assertNotRegex(json.dumps(state["muster"]).replace(state["muster"]["plan"], ""), "[0-9a-f]{32}")
        second = Training(plan, key="secret")
        second.optimizer.load_state_dict(state)
        second.accountant.load_state_dict(first.accountant.state_dict())
        self.assertEqual(second.optimizer.population.begun, 15)
        self.assertNotEqual(second.run(5), first.run(5))

    # An older state does not bring back rounds whose noise was used.
    def test_rounds_are_not_run_twice(self):
        training = Training(plan_of(clients=100))
        training.run(5)
        state = training.optimizer.state_dict()
        training.run(5)
        training.optimizer.load_state_dict(state)
        self.assertEqual(training.optimizer.population.begun, 10)

    # Going back to an older checkpoint brings back neither the noise nor the charges: 40 rounds run, and 40 are charged.
    def test_an_older_checkpoint_uncharges_nothing(self):
        plan = plan_of(clients=100)
        private = engine(muster.opacus.accountant_class(clients=100).mechanism())
        training = Training(plan, accountant=private.accountant)
        ran = len(training.run(5))
        before = training.theta
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "checkpoint.pt"
            private.save_checkpoint(path=path, module=training.model, optimizer=training.optimizer)
            ran += len(training.run(5))
            private.load_checkpoint(path=path, module=training.model, optimizer=training.optimizer)
        self.assertTrue(torch.equal(training.theta, before))
        self.assertEqual(len(private.accountant), 10)
        ran += len(training.run())
        self.assertEqual((ran, len(private.accountant)), (40, 40))
        self.assertEqual(private.get_epsilon(1e-4), float(muster.account(plan)))

    # The rounds that an optimizer's state has are charged nowhere if the accountant's state is not loaded, too.
    def test_an_optimizer_without_its_accountant(self):
        plan = plan_of(clients=100)
        first, second, third = Training(plan), Training(plan), Training(plan)
        first.run(15)
        second.run(20)
        third.optimizer.load_state_dict(first.optimizer.state_dict())
        with self.assertRaisesRegex(muster.UsageError, "has 0 steps, and lacks 15 of those .* 15 rounds") as caught:
            third.run(1)
        self.assertEqual((caught.exception.key, caught.exception.value, caught.exception.allowed),
                         ("accountant", "0 steps", "at least 15 steps"))
        # As many steps of other rounds do not stand for them.
        third.optimizer.attach_step_hook(second.accountant.get_optimizer_hook_fn(0.1))
        with self.assertRaisesRegex(muster.UsageError, "has 20 steps, and lacks 15 of those"):
            third.run(1)
        self.assertEqual((third.optimizer.population.begun, len(second.accountant)), (15, 20))
        third.optimizer.attach_step_hook(first.accountant.get_optimizer_hook_fn(0.1))
        self.assertEqual(len(third.run()), 25)
        self.assertEqual(len(first.accountant), 40)
        state = first.optimizer.state_dict()
        del state["muster"]["charged"]
        with self.assertRaisesRegex(muster.CheckpointError, "charged is missing"):
            third.optimizer.load_state_dict(state)

    # Nothing is sent in a round whose charge failed.
    def test_a_charge_that_fails(self):
        training = Training(plan_of(clients=100))
        training.run(1)
        with mock.patch.object(training.accountant, "step", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                training.run(1)
        self.assertEqual((training.optimizer.population.begun, training.optimizer._rounds.remaining), (2, 0))
        self.assertEqual(len(training.run()), 38)

    def test_states_of_others_are_refused(self):
        training = Training(plan_of())
        for wrong in (Training(plan_of(sigma=3.0)), Training(plan_of(), key="secret"), Training(plan_of(), fidelity="sum")):
            with self.assertRaises(muster.CheckpointError):
                training.optimizer.load_state_dict(wrong.optimizer.state_dict())
        with self.assertRaisesRegex(muster.CheckpointError, "no rounds"):
            training.optimizer.load_state_dict(torch.optim.SGD(network().parameters(), lr=0.1).state_dict())


class Stream(IterableDataset):
    def __iter__(self):
        return iter(())


class Refusals(unittest.TestCase):
    def refused(self, words, **changes):
        module = changes.pop("module", None) or network()
        plan = changes.pop("plan", plan_of())
        loader = changes.pop("loader", DataLoader(TensorDataset(*records(20))))
        optimizer = changes.pop("optimizer", None) or torch.optim.SGD(module.parameters(), lr=0.1)
        with self.assertRaises((muster.MusterError, TypeError)) as caught:
            muster.opacus.make_private(module, optimizer, loader, plan, **changes)
        self.assertRegex(str(caught.exception), words)

    def test_parts_of_opacus(self):
        self.refused("ghost clipping computes the sum", grad_sample_mode="ghost")
        self.refused("ghost clipping computes the sum", grad_sample_mode="ghost_fsdp")
        self.refused("randomizer.clip bounds the norm", clipping="per_layer")
        self.refused("chooses the clip norm from the data", clipping="adaptive")
        self.refused("unknown; allowed: hooks | functorch", grad_sample_mode="ew")
        self.refused("unknown; allowed: flat", clipping="round")
        ghost = opacus.grad_sample.GradSampleModuleFastGradientClipping(network(), max_grad_norm=1.0)
        self.refused("ghost clipping", module=ghost)
        stock = DPOptimizer(torch.optim.SGD((module := network()).parameters(), lr=0.1), noise_multiplier=1.0,
                            max_grad_norm=1.0, expected_batch_size=1)
        self.refused("DPOptimizer already", module=module, optimizer=stock)

    def test_several_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
            try:
                for wrap in (nn.parallel.DistributedDataParallel,
                             opacus.distributed.DifferentiallyPrivateDistributedDataParallel):
                    self.refused("every process would toss the coins", module=wrap(network()))
            finally:
                torch.distributed.destroy_process_group()

    def test_plans(self):
        self.refused("ldp-sgd is not possible", plan=plan_of(randomizer="ldp-sgd", sigma=None, epsilon0=1.0))
        self.refused("charged as a whole", plan=plan_of(protocol="random-check-in-fixed", slots=4))
        self.refused("dropout = 0.5 is not possible", plan=plan_of(dropout=0.5))
        self.refused("know one rate", plan=plan_of(rate=[0.1, 0.2]))
        self.refused("population.clients = 21 .* has 20 records", plan=plan_of(clients=21))
        self.refused("randomizer.clip is missing", plan=plan_of(clip=None))
        self.refused("a plan is needed", plan={"protocol": "shuffle"})

    def test_data(self):
        self.refused("IterableDataset have no numbers", loader=DataLoader(Stream()))
        self.refused("use num_workers = 0", loader=DataLoader(TensorDataset(*records(20)), num_workers=1))
        self.refused("use any batch_size", loader=DataLoader(TensorDataset(*records(20)), batch_size=None))

    def test_parameters(self):
        self.refused("parameter 0.weight has type torch.float64", module=network().double())
        self.refused("not the module's", optimizer=torch.optim.SGD(network().parameters(), lr=0.1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
