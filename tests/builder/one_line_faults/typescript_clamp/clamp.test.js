const test = require("node:test");
const assert = require("node:assert");
const { clamp } = require("./out/clamp.js");

test("between", () => {
  assert.strictEqual(clamp(5, 1, 10), 5);
});

test("above", () => {
  assert.strictEqual(clamp(50, 1, 10), 10);
});

test("refuses", () => {
  assert.throws(() => clamp(1, 2, 1), RangeError);
});
