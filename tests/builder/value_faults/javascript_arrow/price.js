const VAT = 0.19;

const net = (gross) => gross / (1 + VAT);
const discounted = (price, percent) => price - price * percent;
const total = (prices) => prices.reduce((sum, each) => sum + each, 0);

module.exports = { net, discounted, total };
