const test = require("node:test");
const assert = require("node:assert");
const { Stack } = require("./stack.js");

test("size", () => {
  assert.strictEqual(new Stack().push(1).size, 1);
});

test("pop takes the latest", () => {
  const stack = new Stack().push(1).push(2);
  assert.strictEqual(stack.pop(), 2);
});
