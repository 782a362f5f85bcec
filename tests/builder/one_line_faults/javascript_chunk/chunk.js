// Parts of a list, each of `size` items; the last may be shorter.
function chunk(items, size) {
  const parts = [];
  for (let at = 0; at < items.length; at += size) {
    parts.push(items.slice(at, size));
  }
  return parts;
}

module.exports = { chunk };
