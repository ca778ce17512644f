"""How soon Ctrl-C must end a call, for the tests of this folder."""

#: What docs/python.md promises, in seconds.
PROMISED = 0.5
#: What a busy machine may add. Tests run on all cores at once, so each step from the signal to the exception (a look for
#: signals, the piece under way, the end of a thread) may wait for a core; a sanitizer makes the piece several times slower.
#: Each call that the tests interrupt takes far longer than both together.
ALLOWANCE = 2.0


def expect_soon(test, call, seconds):
    """Fails the test if the call went on for longer after Ctrl-C."""
    test.assertLess(seconds, PROMISED + ALLOWANCE, f"Ctrl-C ended {call} too late")
