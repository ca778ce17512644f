"""Tests that the comparison of sessions notices a wrong word, a wrong status and a missing line."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import sessions


class Sessions(unittest.TestCase):
    def status(self, text, *flags):
        with tempfile.TemporaryDirectory() as folder:
            self.file = pathlib.Path(folder) / "a.txt"
            self.file.write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                status = sessions.main(["--command", "/bin/echo", folder, *flags])
            self.after = self.file.read_text(encoding="utf-8")
            return status

    def test_right(self):
        self.assertEqual(self.status("A remark.\n\n$ echo a; echo b >&2\na\nb\n\n$ exit 3\n[exit 3]\n"), 0)

    def test_wrong(self):
        for text in ("$ echo a\nb\n", "$ echo a\n", "$ exit 3\n", "$ true\n[exit 3]\n", "$ echo a\na\nb\n"):
            self.assertEqual(self.status(text), 1, text)

    def test_nothing_to_compare_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(sessions.main(["--command", "/bin/echo", folder]), 1)

    def test_update_writes_what_is_printed(self):
        self.assertEqual(self.status("Remark\n$ echo a\nwrong\n", "--update"), 0)
        self.assertEqual(self.after, "Remark\n$ echo a\na\n")

    def test_masks(self):
        self.assertEqual(sessions.masked("best; numerical error 1.2e-07, included"),
                         "best; numerical error <small>, included")


if __name__ == "__main__":
    unittest.main()
