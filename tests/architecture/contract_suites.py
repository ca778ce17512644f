"""Finds the classes that implement the library's interfaces, and those of them that the interface's suite does not
test.

A contract suite is a C++ test of what every implementation of an interface must do. Its list states, in quotes, the
class of each object that it tests, and when it runs, it compares this name with the object's class. So a class that
the list names is tested. Like long_functions.py, this reads the text of sources and knows only their usual shapes.
"""

import re

SUITES = {
    "BitSource": "src/muster/random/bit_source_contract_test.cc",
    "ClientFunction": "src/muster/learning/client_function_contract_test.cc",
    "Evaluator": "src/muster/simulation/evaluator_contract_test.cc",
    "Log": "src/muster/service/store/log_contract_test.cc",
    "LogFolder": "src/muster/service/store/log_folder_contract_test.cc",
    "RollCall": "src/muster/protocols/roll_call_test.cc",
    "Store": "src/muster/service/store/store_contract_test.cc",
    "SumSampler": "src/muster/randomizers/sum_sampler_contract_test.cc",
    "VectorRandomizer": "src/muster/randomizers/contract_test.cc",
}

# The name of a class and its bases, up to the brace of its body.
DERIVED = re.compile(r"\b(?:class|struct)\s+(\w+)(?:\s+final)?\s*:(?!:)([^;{}()]*)\{")


def derived_classes(text):
    """Returns the name, the line and the bases of each class in a source that has bases, without their namespaces."""
    text = re.sub(r"//[^\n]*", "", text)
    return [(match.group(1), text.count("\n", 0, match.start()) + 1,
             set(re.findall(r"(\w+)\s*(?:<|,|$)", match.group(2).strip()))) for match in DERIVED.finditer(text)]


def missing(root, paths):
    """Returns complaints about the classes in these sources that implement an interface and are not named in its suite.

    A class from which others are derived need not be named. In this library such classes are abstract, so no suite
    could make an object of them, and each class that is derived from them must be named.
    """
    complaints = []
    classes = [(name, f"{path.relative_to(root)}:{line}", bases) for path in paths
               for name, line, bases in derived_classes(path.read_text(encoding="utf-8"))]
    bases_of_others = set().union(*[bases for _, _, bases in classes])
    for interface, suite in SUITES.items():
        text = (root / suite).read_text(encoding="utf-8") if (root / suite).exists() else ""
        family = {interface}
        while more := {name for name, _, bases in classes if bases & family} - family:
            family |= more
        if text and family == {interface}:
            complaints.append(f"{suite}:1: no class is derived from {interface}")
        complaints += [f"{where}: {name} implements {interface} and is not in the list of {suite}"
                       for name, where, _ in classes
                       if name in family - {interface} - bases_of_others and f'"{name}"' not in text]
    return complaints
