import process from "node:process";

// A process that keeps a little memory and makes much garbage. It prints the size of its heap in MiB before
// the garbage can be collected.
const mebibytes = (count: number) =>
  Array.from({ length: count << 14 }, (_, n) => ({ n, text: `${n} in a heap` }));
const kept = mebibytes(4);
let garbage = mebibytes(40);
console.log(process.memoryUsage().heapUsed / (1 << 20));
garbage = [];
setInterval(() => [kept, garbage], 1000);
