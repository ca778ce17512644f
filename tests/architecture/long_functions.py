"""Lists the functions of a C++ source with their lengths; house_rules.py limits these lengths.

`functions(text)` lists every function with its first line and its length, from the line where its declaration
begins to the line of its closing brace. A lambda inside a function belongs to that function. The text is read without
a preprocessor, so both branches of an #if count.
"""

import re

MAX_FUNCTION_LINES = 60

# The functions that may be longer, as "file: function", and the reason for each. An entry that is not needed
# is an error.
LONGER = {
    "digit_skeletons.cc: write": "a table of strokes",
    "key_table.cc: participation_keys": "a row per key",
    "key_table.cc: rounds_keys": "a row per key",
}

LITERALS = re.compile(
    r'//[^\n]*'                                    # comments
    r'|/\*.*?\*/'
    r'|R"([^()\\ ]{0,16})\(.*?\)\1"'               # raw text
    r'|"(?:\\.|[^"\\\n])*"'                        # text
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"       # a character, but not the digit separator in 10'000
    r'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)  # preprocessor lines

SPECIFIERS = re.compile(r"(?:\b(?:const|noexcept|override|final|mutable|volatile|try)\b|&|\s)+$")
SCOPE = re.compile(r"^(?:inline\s+)?namespace\b|^extern\s*$|"
                   r"^(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union|enum)\b[^()=]*$", re.S)
LABEL = re.compile(r"^\s*(?:(?:public|protected|private)\s*:\s*)+")


def blanked(text):
    """Returns the text with comments, literals and preprocessor
    lines replaced by blanks; line breaks are kept."""
    return LITERALS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def opens_function(head):
    """Returns whether a brace after this declaration opens the body of a function and not an initialiser."""
    before = SPECIFIERS.sub("", head)
    if before.endswith(")"):
        return True
    if before.endswith("}"):
        return re.search(r"\)\s*:(?!:)", before) is not None               # the last initialiser of a constructor
    if before.endswith("]"):
        return re.search(r"=\s*\[[^\[\]]*\]$", before) is not None   # a lambda without parameters
    # After a trailing return type the brace opens a function, otherwise the initialiser of a member or
    # variable.
    return re.search(r"\)\s*(?:const\s*|noexcept\s*)*->[^;{}=]*$", head) is not None


def name_of(head):
    """Returns the name before the first parameter list, or the test's name."""
    test = re.search(r"\b(?:TEST|TEST_F|TEST_P)\s*\(\s*(\w+)\s*,\s*(\w+)", head)
    if test:
        return f"{test.group(1)}.{test.group(2)}"
    if named := re.search(r"(\w+)\s*=\s*\[", head):
        return named.group(1)
    plain = re.sub(r"\b(?:requires|decltype|explicit|noexcept)\s*\(", " ", head)
    found = re.search(r"([\w:~]+|operator\s*[^\s\w(]+)\s*\(", plain)
    return found.group(1) if found else "?"


def functions(text):
    """Returns (name, first line, number of lines) for each
    function, in the order in which the functions end."""
    # `scopes` has an entry per open brace: (name, line) of a function, "scope" of a namespace or class, else
    # None.
    found, scopes = [], []
    code = blanked(text)
    line, begins = 1, 0      # `begins` is where the current declaration begins
    for at, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char == "{":
            declared = LABEL.sub("", code[begins:at].lstrip()).lstrip()
            head = declared.rstrip()
            inside = any(scope != "scope" for scope in scopes)
            if not inside and SCOPE.match(head):
                scopes.append("scope")
            elif not inside and opens_function(head):
                scopes.append((name_of(head), line - declared.count("\n")))
            else:
                scopes.append(None)
                continue         # an initialiser or an inner block does not end the declaration around it
            begins = at + 1
        elif char == "}" and scopes:
            closed = scopes.pop()
            if isinstance(closed, tuple):
                found.append((*closed, line - closed[1] + 1))
            if closed is not None:
                begins = at + 1
        elif char == ";" and (not scopes or scopes[-1] is not None):
            begins = at + 1
    return found
