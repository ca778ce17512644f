"""How a checker of pages runs as a command: it prints one complaint a line, and fails if there is any."""

import pathlib


def run(check, success, arguments):
    """The exit status of a checker whose check(root) lists complaints; the root is the first argument, or the current
    folder."""
    complaints = check(pathlib.Path(arguments[1] if len(arguments) > 1 else "."))
    print("\n".join(complaints) if complaints else success)
    return 1 if complaints else 0
