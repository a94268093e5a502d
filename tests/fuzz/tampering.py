"""Texts and JSON that were tampered with in few places."""

import json

from hypothesis import strategies as st

NUMBERS = (
    "0",
    "-1",
    "1e-9",
    "1e-6",
    "0.3",
    "1e308",
    "-1e308",
    "nan",
    "inf",
    "-inf",
    "9" * 400,
    "0x" + "f" * 5000,
    "1_0",
    "1e400",
    "2592000",
    "2592001",
    "3600.5",
    "1000000000000",
    "18446744073709551616",
    "true",
)
TEXTS = (
    "",
    "a",
    "/etc/x",
    "../x",
    "a/b",
    "x" * 300,
    "x" * 11_000,
    "\x1b[31mred",
    "\u202egnp",
    "\U0001f600",
    "a\nb",
    "\t",
    "$\\frac{1}$",
    "{x}",
    "%s%n",
    "\u2028",
    "\x7f",
    "\x00",
    "-x",
    "http://[",
    "http://[::1",
    "//x:99999999",
    "http://x:y/",
    "mailto:x",
    "漢字",
    "[bold]",
    "'",
    '"',
    "\\",
)
LINES = (
    "[" * 3000,
    "a = " + "[" * 3000,
    "a." * 3000 + "a = 1",
    "<" * 200_000,
    "x" * 200_000,
    "#",
    '# a = "',
    "1,2,3,4,5,6",
    "{" * 5000,
    '<a href="',
    "url(" * 20_000,
    "/*" * 20_000,
    "<!--" * 20_000,
    "&#" + "9" * 5000 + ";",
    '<img src="http://[">',
    "<base href='" + "b/" * 5000 + "'>",
    "\ufeff",
    "format = 2",
)
numbers = st.sampled_from(NUMBERS) | st.floats().map(repr) | st.integers().map(str)
texts = st.sampled_from(TEXTS) | st.text(max_size=20)


@st.composite
def _with_value(draw, line: str) -> str:
    """Put another value into a line of TOML or CSV, mostly of the same type."""
    key, mark, value = line.partition("=")
    if not mark:
        between = "\t" if "\t" in line else ","
        cells = line.split(between)
        cells[draw(st.integers(0, len(cells) - 1))] = draw(numbers)
        return between.join(cells)
    is_text = value.strip().startswith('"') != draw(st.sampled_from([False] * 5 + [True]))
    text = draw(texts).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{key}= "{text}"' if is_text else f"{key}= {draw(numbers)}"


@st.composite
def tampered(draw, good: str) -> bytes:
    """Change a good text in few places, or in none."""
    text = good
    for _ in range(draw(st.integers(0, 3))):
        lines = text.split("\n")
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        how = draw(
            st.sampled_from(
                ["value", "value", "value", "string", "string", "insert", "drop", "twice", "many", "cut", "bytes"]
            )
        )
        if how == "value":
            lines[at] = draw(_with_value(lines[at]))
        elif how == "insert":
            lines.insert(at, draw(st.sampled_from(LINES) | texts))
        elif how == "drop":
            del lines[at]
        elif how == "twice":
            lines.insert(at, lines[at])
        elif how == "many":
            lines[at : at + 1] = [lines[at]] * min(20_000, 1 + 1_000_000 // (1 + len(lines[at])))
        text = "\n".join(lines)
        if how == "cut":
            text = text[: draw(st.integers(0, len(text)))]
        elif how == "bytes":
            middle = draw(st.integers(0, len(text)))
            content = text.encode("utf-8", "surrogatepass")
            return content[:middle] + draw(st.binary(max_size=8)) + content[middle:]
    return text.encode("utf-8", "surrogatepass")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.just(10**400) | st.just(-1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def tampered_json(draw, good) -> object:
    """Change a value of JSON in few places, or in none."""
    value = json.loads(json.dumps(good))
    for _ in range(draw(st.integers(0, 2))):
        inner, inside = value, []
        while isinstance(inner, (dict, list)) and inner:
            keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
            inside.append((inner, draw(st.sampled_from(list(keys)))))
            inner = inner[inside[-1][1]]
        if not inside:
            break
        holder, key = draw(st.sampled_from(inside))
        if draw(st.booleans()):
            holder[key] = draw(values)
        else:
            del holder[key]
    return value


@st.composite
def json_files(draw, good) -> bytes:
    """Write a value of JSON, sometimes as no JSON."""
    text = json.dumps(draw(tampered_json(good)))
    broken = draw(st.sampled_from(["", "", "", "[", "{", "cut", '{"a":' * 3000]))
    return (text[: len(text) // 2] if broken == "cut" else broken + text).encode()
