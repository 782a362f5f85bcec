"""Rows with semicolons become a table in Markdown; columns of numbers stand at the right."""

import re

NUMBER = re.compile(r"[-+]?[\d.,]+\s?(?:%|€|\$)?")


def on_tag(name, content, context):
    rows = [
        [cell.strip() for cell in line.split(";")] for line in content.strip().splitlines() if line.strip()
    ]
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    rows = [[escaped(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = [
        line(rows[0]),
        line(["---:" if is_numeric(rows[1:], place) else "---" for place in range(width)]),
    ]
    lines += [line(row) for row in rows[1:]]
    return "\n\n" + "\n".join(lines) + "\n\n"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def is_numeric(rows, place):
    cells = [row[place] for row in rows if row[place]]
    return bool(cells) and all(NUMBER.fullmatch(cell) for cell in cells)


def escaped(cell):
    return cell.replace("\\", "\\\\").replace("|", "\\|")
