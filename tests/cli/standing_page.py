"""Reads the status page of an aggregator, and compares it with the object that /status serves."""

import base64
import hashlib
import html.parser

UNKNOWN = {"none", "none yet", "not yet", "No alarm", "an unknown number"}  # how the page shows null
VOID = {"meta"}  # elements without an end tag; those of a drawing end in their own tag, or in a browser's DOM after it


class Page(html.parser.HTMLParser):
    """The text of every element that has an id, its number if it has one, and all tags, attributes and words."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.style, self.words = [], [], [], "", ""
        self.texts, self.numbers, self.tables = {}, {}, {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.take(tag, attrs)
        names = dict(attrs)
        if tag not in VOID:
            self.open.append((tag, names.get("id")))
        if "id" in names:
            assert names["id"] not in self.texts, f"{names['id']} is there twice"
            self.texts[names["id"]] = ""
        if tag == "tr":
            self.tables.setdefault(self.inside(), []).append([])
        elif tag in ("td", "th"):
            self.tables[self.inside()][-1].append("")
        elif tag == "data":
            self.numbers.setdefault(self.inside(), float(names["value"]))

    def handle_startendtag(self, tag, attrs):
        self.take(tag, attrs)

    def take(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        opened, _ = self.open.pop()
        assert opened == tag, (opened, tag)

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "style":
            self.style += data
            return
        self.words += data
        for _, name in self.open:
            if name is not None:
                self.texts[name] += data
        if any(tag in ("td", "th") for tag, _ in self.open):
            self.tables[next(name for tag, name in self.open if tag == "table")][-1][-1] += data

    def inside(self):
        """Returns the id of the innermost open element that has one."""
        return next((name for _, name in reversed(self.open) if name is not None), None)


def leaves(value, path=""):
    """Returns the values of an object that hold no other values, by their paths."""
    if isinstance(value, dict) and value:
        return {key: leaf for name, each in value.items() for key, leaf in leaves(each, f"{path}.{name}").items()}
    if isinstance(value, list) and value:
        return {key: leaf for i, each in enumerate(value) for key, leaf in leaves(each, f"{path}.{i}").items()}
    return {path.removeprefix("."): value}


def check_same(test, page, status):
    """Checks that the page has every value of the object in the element of its name, and no other named number."""
    for path, value in leaves(status).items():
        test.assertIn(path, page.texts)
        if value is None:
            test.assertIn(page.texts[path], UNKNOWN, path)
            test.assertNotIn(path, page.numbers)
        elif isinstance(value, str):
            test.assertEqual(page.texts[path], value)
        else:
            test.assertEqual(page.numbers[path], value, path)
            # What people read is the number, rounded: for an epsilon up, and not by much.
            shown = float(page.texts[path])
            test.assertLessEqual(abs(shown - value), 1e-4 * max(1, abs(value)), path)
            if path in ("epsilon.upper", "epsilon_planned", "local.epsilon", "population.epsilon"):
                test.assertGreaterEqual(shown, value, path)
    named = {name for name in page.numbers if name is not None and "." in name}
    test.assertLessEqual(named, set(leaves(status)))


def check_whole(test, page, headers):
    """Checks that the page loads nothing, and that its policy allows nothing but its own style sheet."""
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    test.assertEqual(policy, {"default-src": "'none'", "style-src": f"'sha256-{digest}'", "base-uri": "'none'",
                              "form-action": "'none'", "frame-ancestors": "'none'"})
    test.assertEqual(headers["X-Content-Type-Options"], "nosniff")
    test.assertEqual(headers["Referrer-Policy"], "no-referrer")
    test.assertEqual(headers["Cache-Control"], "no-store")
    test.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
    test.assertEqual({"script", "img", "link", "iframe", "object", "embed", "form", "base"} & set(page.tags), set())
    names = {name for name, _ in page.attributes}
    test.assertEqual({"src", "srcset", "xlink:href", "action", "style", "background"} & names, set())
    test.assertEqual([name for name in names if name.startswith("on")], [])
    test.assertEqual([value for name, value in page.attributes if name == "href"], ["/status", "/metrics"])
    for text in (page.style, *(value for _, value in page.attributes)):
        for foreign in ("//", "url(", "@import", "http:", "https:", "data:"):
            test.assertNotIn(foreign, text or "")
