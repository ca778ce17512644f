"""tools/rooms draws the includes between rooms as arrows, leaves out arrows that follow from others, and notices an
outdated picture."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/rooms"


def load_tool():
    loader = importlib.machinery.SourceFileLoader("rooms", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rooms", loader))
    loader.exec_module(module)
    return module


rooms = load_tool()

# random includes core, plan includes random and core, and the command includes plan. A test of core includes plan, which
# makes no arrow.
TREE = {
    "src/muster/core/error.h": "#include <string>\n",
    "src/muster/core/error_test.cc": '#include "muster/plan/plan.h"\n',
    "src/muster/random/coin.cc": '#include "muster/core/error.h"\n#include "muster/random/coin.h"\n',
    "src/muster/plan/deep/plan.h": '#  include <muster/random/coin.h>\n#include "muster/core/error.h"\n',
    "apps/muster/main.cc": '#include "muster/plan/plan.h"\n#include "apps/muster/table.h"\n',
    "src/README.md": f"Above.\n\n{rooms.BEGIN}\nold\n{rooms.END}\n\nBelow.\n",
}
PICTURE = ('```mermaid\ngraph TD\n    core --> random\n    random --> plan\n'
           '    plan --> command["apps/muster"]\n```')


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in TREE.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self, *arguments):
        """Returns the exit status and everything that is printed."""
        printed = StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            status = rooms.main([*arguments, str(self.root)])
        return status, printed.getvalue()

    def page(self):
        return (self.root / "src/README.md").read_text(encoding="utf-8")

    def test_draws_between_the_marks_and_nowhere_else(self):
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual(self.page(), f"Above.\n\n{rooms.BEGIN}\n{PICTURE}\n{rooms.END}\n\nBelow.\n")

    def test_check_notices_a_stale_picture_and_changes_nothing(self):
        self.assertEqual(self.run_tool("--check")[0], 1)
        self.assertEqual(self.page(), TREE["src/README.md"])
        self.run_tool()
        self.assertEqual(self.run_tool("--check")[0], 0)
        self.write("src/muster/learning/net.cc", '#include "muster/core/error.h"\n')
        self.assertEqual(self.run_tool("--check")[0], 1)

    def test_a_shortcut_is_drawn_once_the_long_way_is_gone(self):
        self.write("src/muster/plan/deep/plan.h", '#include "muster/core/error.h"\n')
        self.assertEqual(rooms.arrows(rooms.included_by_room(self.root)),
                         [("core", "plan"), ("core", "random"), ("plan", rooms.COMMAND)])

    def test_circles_and_missing_marks_are_refused(self):
        self.write("src/muster/core/error.h", '#include "muster/plan/plan.h"\n')
        status, printed = self.run_tool()
        self.assertEqual(status, 2)
        self.assertIn("include each other", printed)
        self.write("src/muster/core/error.h", "")
        self.write("src/README.md", "No marks.\n")
        status, printed = self.run_tool("--check")
        self.assertEqual(status, 2)
        self.assertIn("lacks the line", printed)


if __name__ == "__main__":
    unittest.main()
