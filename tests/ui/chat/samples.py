"""Texts that the tests of the window show."""

from __future__ import annotations

LONG_ANSWER = """# Reading a file in Python

There are **three** ways worth knowing, and `pathlib` is the one to start with. See [the documentation](https://docs.python.org/3/library/pathlib.html).

## The short way

```python
from pathlib import Path

def words(path: Path) -> list[str]:
    \"\"\"All words of a small text file.\"\"\"
    text = path.read_text(encoding="utf-8")  # the whole file at once
    return [word for word in text.split() if len(word) > 3 and word not in {"this", "that", "which", "there"}]
```

1. Open the file, which costs next to nothing.
2. Read it:
   - all at once for small files,
   - line by line for large ones.
3. Close it, which `with` does for you.

> Text has an encoding. Name it, or the result depends on the computer on which the program runs.

| Way | Memory | Good for |
|:----|-------:|:---------|
| `read_text` | whole file | small files |
| `for line in file` | one line | logs |
| `mmap` | none to speak of | searching in very large files that do not change |

- [x] encoding named
- [ ] errors handled

---

That is all there is to it 🙂.
"""

WIDE_TABLE = (
    "| "
    + " | ".join(f"Column number {n}" for n in range(12))
    + " |\n|"
    + "---|" * 12
    + "\n| "
    + " | ".join("value" for _ in range(12))
    + " |"
)

RIGHT_TO_LEFT = "שלום, זה משפט בעברית עם `code` בפנים.\n\nهذا سطر بالعربية.\n\nAnd one from the left."

HOSTILE = """<img src="file:///etc/passwd"> <script>alert(1)</script> <b>bold</b>

![secret](http://127.0.0.1:9/beacon.png) ![local](file:///etc/hostname)

[click](javascript:alert(1)) [open](file:///etc/passwd) [good](https://example.org/page)
"""
