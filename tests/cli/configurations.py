"""Configurations of the roles for processes that are refused before they connect, and what is wrong in others."""

from role_processes import POLICY

# The keys of the roles' configurations, besides folder and task, for processes that are refused before they connect.
KEYS = {
    "issuer": ['listen = "127.0.0.1:0"', "rounds_ahead = 1"],
    "shuffler": ['issuer = "http://127.0.0.1:9"'],
    "aggregator": ['shuffler = "http://127.0.0.1:9"'],
    "client0": ['shuffler = "http://127.0.0.1:9"', 'issuer = "http://127.0.0.1:9"', 'data = "digits"', "record = 0"],
}
# Each line takes the place of that with the same key. Beside it is what the message has to say.
COMMON = [
    ("folder = 3", "is not a text"),
    ('folder = ""', "is empty"),
    ("task = []", "is not a text"),
    ('tsak = "task.txt"', "did you mean task?"),
    ("folder = \"a\"\nfolder = \"b\"", "line"),
    ("folder = ", "line"),
    ("x = 1e400", "line"),
    ("[oops]\ny = 1", "is an unknown key"),
    ("[folder]\nx = 1", "line"),
    ("policy = 3", "is an unknown key"),
]
ADDRESS = "IP-ADDRESS:PORT"
URL = "http://HOST:PORT"
OF_ROLES = [
    *[(role, line, words) for role in ("issuer", "shuffler", "aggregator") for line, words in (
        ('listen = "localhost:80"', ADDRESS),
        ('listen = "127.0.0.1"', ADDRESS),
        ('listen = "127.0.0.1:65536"', ADDRESS),
        ("listen = 80", ADDRESS),
        ('listen = "0.0.0.0:0"', "behind_relay = true"),
        ('listen = "[::]:0"', "behind_relay = true"),
        ('behind_relay = "yes"', "true or false"),
    )],
    *[(role, "ca = 3", "a text in quotes") for role in ("shuffler", "aggregator", "client0")],
    *[(role, line, words) for role in ("issuer", "shuffler") for line, words in (
        ("threads = 0", "an integer from 1 to 256"),
        ("threads = 257", "an integer from 1 to 256"),
        ("threads = 1.5", "is not an integer"),
        ("threads = -1", "an integer from 1 to 256"),
        ("threads = nan", "is not an integer"),
        ("threads = inf", "is not an integer"),
        ("threads = 1e400", "line"),
        ("connections = 9223372036854775808", "line"),
        ("connections = 0", "an integer from 1 to 1000000"),
    )],
    ("issuer", "rounds_ahead = 0", "an integer from 1 to 1023"),
    ("issuer", "rounds_ahead = 1024", "an integer from 1 to 1023"),
    ("shuffler", 'listen_aggregator = "0.0.0.0:0"', "behind_relay = true"),
    ("shuffler", 'listen_aggregator = "localhost:80"', ADDRESS),
    ("shuffler", "listen_aggregator = 80", ADDRESS),
    ("shuffler", "queue = 0", "an integer from 1 to 1000000"),
    ("shuffler", 'issuer = "127.0.0.1:9"', URL),
    ("shuffler", 'issuer = "http://127.0.0.1:9/v1"', URL),
    ("aggregator", 'shuffler = "ftp://127.0.0.1:9"', URL),
    ("aggregator", "threads = 1025", "an integer from 1 to 1024"),
    *[("aggregator", line, words) for line, words in (
        ("population_budget = 1", "[epsilon, delta]"),
        ("population_budget = [0, 1e-5]", "[epsilon, delta]"),
        ("population_budget = [nan, 1e-5]", "[epsilon, delta]"),
        ("population_budget = [inf, 1e-5]", "[epsilon, delta]"),
        ("population_budget = [-1, 1e-5]", "[epsilon, delta]"),
        ("population_budget = [1, nan]", "[epsilon, delta]"),
        ("population_budget = [1e400, 1e-5]", "line"),
        ("population_budget = [1, 1]", "[epsilon, delta]"),
        ("population_budget = [1, 0]", "[epsilon, delta]"),
        ("population_budget = [1, 1e-5]", "population = FILE"),
        ("population = 3", "a text in quotes"),
        ('population = "population.db"', "population_budget = [epsilon, delta]"),
    )],
    *[("client0", line, words) for line, words in (
        ("shuffler = 9", "is not a text"),
        ('issuer = "https://"', URL),
        ("data = 3", "a text in quotes"),
        ('data = "csv:a.csv"', "is of another format"),
        ('data = "digits:more"', "is of another format"),
        ("record = -1", "is out of range"),
        ('record = "0"', "is not an integer"),
        ("max_epsilon = 0", "a number above 0, or inf"),
        ("max_epsilon = -1", "a number above 0, or inf"),
        ("max_epsilon = nan", "a number above 0, or inf"),
        ('max_delta = "1"', "a number above 0, or inf"),
        ("max_epsilon = 1e400", "line"),
        ("max_epsilon = -inf", "a number above 0, or inf"),
        ("max_delta = 0", "a number above 0, or inf"),
        ("max_delta = nan", "a number above 0, or inf"),
        ("max_epsilon0 = 0", "a number above 0, or inf"),
        ("max_epsilon0 = nan", "a number above 0, or inf"),
        ("min_clients = 0", "an integer from 1"),
        ("min_clients = 1e9", "is not an integer"),
        ("max_rounds = 9223372036854775808", "line"),
        ("max_rounds = 1.0", "is not an integer"),
        ("allow_seeded = 1", "true or false"),
    )],
]


def write(folder, role, changed=""):
    """Writes a configuration in which the line `changed`, if any, takes the place of the line with the same key."""
    key = changed.split("=")[0].strip()
    lines = [f'folder = "{role}"', 'task = "task.txt"', *KEYS[role]]
    kept = [line for line in lines if line.split("=")[0].strip() != key]
    policy = [line for line in POLICY.splitlines() if line.split("=")[0].strip() != key]
    if role == "client0":
        in_policy = key in POLICY
        kept += [*([] if in_policy else [changed]), *policy, *([changed] if in_policy else [])]
    else:
        kept.append(changed)
    (folder / f"{role}.toml").write_text("\n".join(kept) + "\n")
