"""Reads a page of `muster report`: its elements, attributes, words and tables."""

import html.parser


class Page(html.parser.HTMLParser):
    """The elements, attributes, words and tables of a page."""

    VOID = {"meta"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.words = [], [], [], ""
        self.tables, self.styles = [], ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "data" and "td" in self.open:
            self.tables[-1][-1][-1] = dict(attrs)["value"]

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" in self.open:
            self.styles += data
            return
        self.words += data
        if ("td" in self.open and "data" not in self.open) or "th" in self.open:
            self.tables[-1][-1][-1] += data
