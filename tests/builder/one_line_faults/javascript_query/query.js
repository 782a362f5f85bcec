/** The fields of a query string, decoded; a field that comes twice has the last value. */
const parseQuery = (text) => {
  const fields = {};
  for (const part of text.replace(/^\?/, "").split("&")) {
    if (!part) continue;
    const [name, value = ""] = part.split("=");
    fields[decodeURIComponent(name)] = value;
  }
  return fields;
};

module.exports = { parseQuery };
