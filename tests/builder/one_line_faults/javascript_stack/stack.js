class Stack {
  constructor() {
    this.items = [];
  }

  push(item) {
    this.items.push(item);
    return this;
  }

  /** The top item, taken away; undefined where there is none. */
  pop() {
    return this.items.shift();
  }

  get size() {
    return this.items.length;
  }
}

module.exports = { Stack };
