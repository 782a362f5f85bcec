const CODES = {
  a: ".-",
  e: ".",
  i: "..",
  o: "---",
  s: "....",
  t: "-",
};

function encode(text) {
  return [...text.toLowerCase()].map((letter) => CODES[letter] ?? "?").join(" ");
}

module.exports = { encode };
