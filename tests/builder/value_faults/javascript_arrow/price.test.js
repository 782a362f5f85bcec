const test = require("node:test");
const assert = require("node:assert");
const { net, discounted, total } = require("./price.js");

test("net", () => {
  assert.equal(net(119), 100);
});

test("a discount is in percent", () => {
  assert.equal(discounted(200, 25), 150);
});

test("total", () => {
  assert.equal(total([1, 2, 3]), 6);
});
