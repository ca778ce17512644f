"""The server: Flower's FedAvg inside muster's strategy, which asks every node, shuffles, decodes and charges."""

import numpy as np
from check_in_app import task
from flwr.app import Array, ArrayRecord, Context, MetricRecord
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

import muster.flower

app = ServerApp()
PUBLIC = task.records_of(2**20, 1000)  # public records, so that no node has to evaluate


def evaluate(server_round: int, arrays: ArrayRecord) -> MetricRecord:
    """Returns the accuracy on public records."""
    return MetricRecord({"accuracy": task.accuracy(arrays["weights"].numpy(), *PUBLIC)})


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Runs the rounds, and says what they cost."""
    strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), task.PLAN)
    first = ArrayRecord({"weights": Array(np.zeros(task.FEATURES, np.float32))})
    rounds = int(context.run_config["rounds"])
    result = strategy.start(grid, first, num_rounds=rounds, timeout=600, evaluate_fn=evaluate)
    spent = strategy.privacy_spent()
    print(f"epsilon = {spent.epsilon:.4f} at delta {spent.delta:g} after {spent.num_releases} rounds")
    if path := context.run_config["save-to"]:
        reports = [result.train_metrics_clientapp[t]["muster-reports"] for t in sorted(result.train_metrics_clientapp)]
        np.savez(str(path), weights=result.arrays["weights"].numpy(), epsilon=spent.epsilon, reports=reports)
