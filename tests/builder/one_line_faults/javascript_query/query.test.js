const test = require("node:test");
const assert = require("node:assert");
const { parseQuery } = require("./query.js");

test("plain fields", () => {
  assert.deepStrictEqual(parseQuery("?a=1&b=2"), { a: "1", b: "2" });
});

test("decoded values", () => {
  assert.deepStrictEqual(parseQuery("name=J%C3%BCrgen"), { name: "J\u00fcrgen" });
});
