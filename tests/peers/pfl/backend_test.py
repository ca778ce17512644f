"""Tests muster.pfl with pfl-research itself: rounds of its SimulatedBackend, with its own algorithm and postprocessors.

    tools/check-peers pfl

Adapters that are wrong on purpose must fail the same tests.
"""

import functools
import sys
import unittest
import unittest.mock

import numpy as np
from pfl.aggregate.simulate import SimulatedBackend
from pfl.aggregate.weighting import WeightByDatapoints, WeightByUser
from pfl.algorithm.base import FederatedAlgorithm
from pfl.common_types import Population as Kind
from pfl.context import CentralContext
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import FederatedDataset
from pfl.hyperparam import AlgorithmHyperParams, ModelHyperParams
from pfl.metrics import Metrics
from pfl.model.base import Model
from pfl.privacy.gaussian_mechanism import GaussianMechanism
from pfl.privacy.privacy_mechanism import CentrallyAppliedPrivacyMechanism, LocalPrivacyMechanism
from pfl.stats import ElementWeightedMappedVectorStatistics, MappedVectorStatistics

import muster
from muster.pfl import CheckInDataset, CheckInMechanism
from muster.rounds import Round

SHAPES = {"weights": (4, 3), "bias": (3,)}
DIMENSION = 15
ROUNDS = 5
RATE = np.float32(0.5)


def plan_of(randomizer="ldp-sgd", protocol="shuffled-check-in", **more):
    local = {"gaussian": {"sigma": 0.5}, "ldp-sgd": {"epsilon0": 3.0}, "linf": {"epsilon0": 3.0},
             "l1": {"epsilon0": 3.0}, "l2": {"epsilon0": 3.0}}[randomizer]
    who = {"shuffled-check-in": {"rate": 0.3}, "aggregated-check-in": {"rate": 0.3}, "subset": {"subset": 7},
           "shuffle": {}}.get(protocol, {"rate": 0.9, "slots": 5})
    return muster.plan(**{**dict(protocol=protocol, clients=60, randomizer=randomizer, clip=1.0, rounds=ROUNDS, delta=1e-5,
                                 seed=7), **local, **who, **more})


@functools.cache
def account(plan):
    return float(muster.account(plan))


def update_of(theta, client):
    """Returns what a client computes from the model: float32, different for each client."""
    return (np.sin(np.arange(DIMENSION) * 0.7 + client).astype(np.float32) - theta).astype(np.float32)


class Linear(Model):
    """A model of numpy arrays, which takes a step along the mean."""

    def __init__(self):
        self.theta = np.zeros(DIMENSION, dtype=np.float32)

    def apply_model_update(self, statistics):
        mean = np.concatenate([statistics[name].ravel() for name in SHAPES])
        self.theta = self.theta + RATE * mean
        return self, Metrics()


class OneStep(FederatedAlgorithm):
    """Each client sends one update; the server averages, as pfl-research's own algorithms do."""

    forgetful = False  # whether a client sends nothing

    def get_next_central_contexts(self, model, iteration, algorithm_params, model_train_params, model_eval_params=None):
        if iteration == ROUNDS:
            return None, model, Metrics()
        context = CentralContext(current_central_iteration=iteration, do_evaluation=False, cohort_size=20,
                                 population=Kind.TRAIN, algorithm_params=algorithm_params,
                                 model_train_params=model_train_params, seed=self._get_seed())
        return (context,), model, Metrics()

    def simulate_one_user(self, model, user_dataset, central_context):
        client = int(user_dataset.raw_data[0][0])
        if self.forgetful and client % 2 == 0:
            return None, Metrics()
        vector, tensors, at = update_of(model.theta, client), {}, 0
        for name, shape in SHAPES.items():
            size = int(np.prod(shape))
            tensors[name] = vector[at:at + size].reshape(shape)
            at += size
        return MappedVectorStatistics(tensors), Metrics()

    def process_aggregated_statistics(self, central_context, aggregate_metrics, model, statistics):
        statistics.average()
        return model.apply_model_update(statistics)


def user_of(client):
    return Dataset([np.array([client])], user_id=f"user {client}")


def trained(crowd, *, dataset=CheckInDataset, mechanism=CheckInMechanism, before=(), after=(), algorithm=None):
    """Returns the parameters after the rounds of pfl-research's loop."""
    users = dataset(crowd, user_of)
    backend = SimulatedBackend(users, None, postprocessors=[*before, mechanism(users), *after])
    model = (algorithm or OneStep()).run(AlgorithmHyperParams(), backend, Linear(), ModelHyperParams(),
                                         send_metrics_to_platform=False)
    return model.theta


def expected(plan):
    """Returns the parameters and the population after the same rounds of a loop without pfl-research."""
    crowd, theta = muster.Population(plan, dimension=DIMENSION), np.zeros(DIMENSION, dtype=np.float32)
    for _ in range(ROUNDS):
        with crowd.round() as r:
            for clients in r.batches(16):
                r.send(clients, np.stack([update_of(theta, int(client)) for client in clients]))
        theta = theta + RATE * r.mean
    return theta, crowd


def check(test, plan, **adapter):
    """Checks that five rounds leave the bits that the population leaves, and cost what muster says."""
    crowd = muster.Population(plan, dimension=DIMENSION)
    theta = trained(crowd, **adapter)
    by_hand, same = expected(plan)
    test.assertEqual(theta.dtype, np.float32)
    test.assertTrue(np.isfinite(theta).all() and np.abs(theta).max() > 0)
    test.assertEqual(theta.tobytes(), by_hand.tobytes(), plan)
    test.assertEqual(crowd.charged, ROUNDS)
    test.assertEqual(float(crowd.epsilon), account(plan))
    test.assertEqual(crowd.monitor.rounds, same.monitor.rounds)


class NoiseOnceOnTheSum(CheckInMechanism):
    """Wrong on purpose: users send their clipped vectors, and one draw of noise is added to the sum."""

    def privatize(self, statistics, name_formatting_fn=None, seed=None):
        super().privatize(statistics)
        return statistics, Metrics()

    def postprocess_server(self, *, stats, central_context, aggregate_metrics):
        self._users._close()
        generator = np.random.default_rng(central_context.seed)
        noisy = stats.apply_elementwise(lambda each: each + generator.normal(size=each.shape).astype(np.float32) * 0.5)
        return noisy, Metrics()


class NoiseOfPfl(LocalPrivacyMechanism):
    """Wrong on purpose: each user's noise comes from pfl-research's generator and its seeds of 32 bits."""

    def __init__(self, users):
        self._users = users

    def privatize(self, statistics, name_formatting_fn=None, seed=None):
        self._users._client, self._users._sent = None, self._users._sent + 1
        generator = np.random.default_rng(seed)
        return statistics.apply_elementwise(
            lambda each: each + generator.normal(size=each.shape).astype(np.float32) * 0.5), Metrics()


class NotCharged(CheckInDataset):
    """Wrong on purpose: from the second round on, another population with the same key runs and is charged."""

    def get_cohort(self, cohort_size):
        if self._population.charged == 1 and not hasattr(self, "_other"):
            self._other = muster.Population(self._population.plan, dimension=DIMENSION)
            with self._other.round() as r:
                r.send(r.clients, np.zeros((len(r.clients), DIMENSION)))
            self._population = self._other
        return super().get_cohort(cohort_size)


class CoinIgnored(CheckInDataset):
    """Wrong on purpose: the users of a round are a cohort that pfl-research samples."""

    def get_cohort(self, cohort_size):
        sampled = FederatedDataset(user_of, lambda: np.random.randint(60)).get_cohort(cohort_size)
        checked_in = super().get_cohort(cohort_size)
        for _ in checked_in:
            for user, seed in sampled:
                self._client, self._user = int(user.raw_data[0][0]), user
                yield user, seed
            return


class Rounds(unittest.TestCase):
    def test_have_the_populations_bits(self):
        for protocol in ("shuffled-check-in", "shuffle", "subset", "aggregated-check-in"):
            check(self, plan_of(protocol=protocol))
        for randomizer in ("gaussian", "linf", "l1", "l2"):
            check(self, plan_of(randomizer))

    # One message too few destroys the round: its mean is zero, and pfl-research's sum does not reach the model.
    def test_a_destroyed_round_teaches_nothing(self):
        plan = plan_of(protocol="aggregated-check-in", minimum=59)
        crowd = muster.Population(plan, dimension=DIMENSION)
        self.assertFalse(trained(crowd).any())
        self.assertEqual(crowd.charged, ROUNDS)

    def test_wrong_adapters_fail(self):
        for wrong in (dict(mechanism=NoiseOnceOnTheSum), dict(mechanism=NoiseOfPfl), dict(dataset=NotCharged),
                      dict(dataset=CoinIgnored)):
            with self.assertRaises((AssertionError, muster.UsageError), msg=wrong):
                check(unittest.TestCase(), plan_of(), **wrong)

    def test_weights_and_central_noise_are_refused(self):
        check(self, plan_of(), before=[WeightByUser()])
        check(self, plan_of(), after=[WeightByUser()])
        many = unittest.mock.patch.object(Dataset, "__len__", lambda self: 5)
        central = CentrallyAppliedPrivacyMechanism(GaussianMechanism(1.0, 0.5))
        for wrong in (dict(before=[WeightByDatapoints()]), dict(after=[WeightByDatapoints()]), dict(after=[central])):
            with many, self.assertRaises(muster.UsageError, msg=wrong):
                trained(muster.Population(plan_of(), dimension=DIMENSION), **wrong)

    def test_a_silent_user_is_refused(self):
        algorithm = OneStep()
        algorithm.forgetful = True
        crowd = muster.Population(plan_of(), dimension=DIMENSION)
        with self.assertRaisesRegex(muster.UsageError, r"client \d+ has not sent"):
            trained(crowd, algorithm=algorithm)
        self.assertEqual(crowd.charged, 1)

    def test_the_budget_stops_the_run(self):
        plan = plan_of()
        budget = account(plan.replace({"rounds.count": 3}))
        crowd = muster.Population(plan.replace({"privacy.budget": budget}), dimension=DIMENSION)
        with self.assertRaises(muster.BudgetReached):
            trained(crowd)
        self.assertEqual(crowd.charged, 3)
        self.assertLessEqual(float(crowd.epsilon), budget)

    # After an error in the middle of a round, the next cohort is a new round, and the old one stays charged.
    # Ctrl-C may come when the population has begun a round and the cohort does not have it yet.
    def test_ctrl_c_while_a_round_begins(self):
        users, begin = CheckInDataset(muster.Population(plan_of(), dimension=DIMENSION), user_of), Round.__enter__

        def interrupted(opened):
            begin(opened)
            raise KeyboardInterrupt

        with unittest.mock.patch.object(Round, "__enter__", interrupted), self.assertRaises(KeyboardInterrupt):
            next(users.get_cohort(20))
        self.assertEqual(users.population.charged, 1)
        next(users.get_cohort(20))
        self.assertEqual(users.population.charged, 2)

    def test_a_round_that_was_left_is_abandoned(self):
        crowd = muster.Population(plan_of(), dimension=DIMENSION)
        users = CheckInDataset(crowd, user_of)
        next(iter(users.get_cohort(1)))
        next(iter(users.get_cohort(1)))
        self.assertEqual(crowd.charged, 2)


class Refusals(unittest.TestCase):
    def refused(self, kind, words):
        return self.assertRaisesRegex(kind, words)

    def test_populations(self):
        for protocol in ("random-check-in-fixed", "random-check-in-averaged", "random-check-in-sliding"):
            with self.refused(muster.UncoveredError, f"{protocol} has slots, .* allowed: shuffle"):
                CheckInDataset(muster.Population(plan_of(protocol=protocol), dimension=DIMENSION), user_of)
        with self.refused(muster.UsageError, "fidelity = sum"):
            CheckInDataset(muster.Population(plan_of("gaussian"), dimension=DIMENSION, fidelity="sum"), user_of)
        with self.refused(TypeError, "users is a CheckInDataset"):
            CheckInMechanism(muster.Population(plan_of(), dimension=DIMENSION))

    def test_statistics(self):
        users = CheckInDataset(muster.Population(plan_of(), dimension=DIMENSION), user_of)
        mechanism = CheckInMechanism(users)

        def send(vector, weight=1.0):
            return mechanism.privatize(MappedVectorStatistics({"weights": vector}, weight))

        right = np.zeros(DIMENSION, dtype=np.float32)
        with self.refused(muster.UsageError, "no user is training"):
            send(right)
        cohort = iter(users.get_cohort(20))
        next(cohort)
        for weight in (0.0, 2.0, float("nan")):
            with self.refused(muster.UsageError, "weight = .* allowed: 1"):
                send(right, weight)
        for wrong in (right[1:], np.zeros(DIMENSION, dtype=np.int64), np.zeros((2, DIMENSION), dtype=np.float32)):
            with self.refused(muster.DataError, "allowed: 15 floats"):
                send(wrong)
        with self.refused(muster.UsageError, "no weight of its own"):
            mechanism.privatize(ElementWeightedMappedVectorStatistics({"weights": right}))
        send(right)
        with self.refused(muster.UsageError, "no user is training"):
            send(right)
        next(cohort)
        with self.refused(muster.DataError, "NaN or infinite"):
            send(right + np.float32("nan"))
        with self.refused(muster.UsageError, "nobody samples a user"):
            next(users)

    # With on_bad="neutral", a vector that is not finite is answered like zero, as a real client must.
    def test_a_bad_vector_is_answered(self):
        crowd = muster.Population(plan_of(protocol="shuffle"), dimension=DIMENSION, on_bad="neutral")
        users = CheckInDataset(crowd, user_of)
        mechanism = CheckInMechanism(users)
        for _ in users.get_cohort(20):
            sent, _ = mechanism.privatize(MappedVectorStatistics({"weights": np.full(DIMENSION, np.inf, np.float32)}))
            self.assertTrue(np.isfinite(sent["weights"]).all())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
