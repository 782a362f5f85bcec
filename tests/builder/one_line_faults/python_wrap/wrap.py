def wrapped(text, width):
    """Lines of at most `width` characters, broken at spaces."""
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        lines.append(line)
    return lines
