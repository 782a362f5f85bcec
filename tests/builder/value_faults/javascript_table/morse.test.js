const test = require("node:test");
const assert = require("node:assert");
const { encode } = require("./morse.js");

test("tea", () => {
  assert.equal(encode("tea"), "- . .-");
});

test("sos", () => {
  assert.equal(encode("SOS"), "... --- ...");
});
