const test = require("node:test");
const assert = require("node:assert");
const { chunk } = require("./chunk.js");

test("parts of two", () => {
  assert.deepStrictEqual(chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
});

test("nothing", () => {
  assert.deepStrictEqual(chunk([], 3), []);
});
