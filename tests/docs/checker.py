"""Runs a checker of pages as a command: prints one complaint per line, and fails if there is any."""

import pathlib


def run(check, success, arguments):
    """Prints the complaints of check(root) and returns the exit status. The root is the first argument or, without
    arguments, the current folder."""
    complaints = check(pathlib.Path(arguments[1] if len(arguments) > 1 else "."))
    print("\n".join(complaints) if complaints else success)
    return 1 if complaints else 0
