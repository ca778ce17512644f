"""The nodes: an ordinary client app of Flower, with muster's CheckIn as the first of its mods."""

from check_in_app import task
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

import muster.flower

app = ClientApp(mods=[muster.flower.CheckIn(task.PLAN)])


@app.train()
def train(msg: Message, context: Context) -> Message:
    """Trains on the node's own records; the mod turns the reply into what may leave the node."""
    weights = msg.content.array_records["arrays"]["weights"].numpy()
    features, labels = task.records_of(int(context.node_config["partition-id"]))
    learned = ArrayRecord({"weights": Array(task.trained(weights, features, labels))})
    metrics = MetricRecord({"num-examples": len(labels)})
    return Message(RecordDict({"arrays": learned, "metrics": metrics}), reply_to=msg)
