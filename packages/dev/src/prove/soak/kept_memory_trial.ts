import process from "node:process";

// A process with a little that it keeps and much that is garbage; it tells what its heap held with it.
const mebibytes = (count: number) =>
  Array.from({ length: count << 14 }, (_, n) => ({ n, text: `${n} in a heap` }));
const kept = mebibytes(4);
let garbage = mebibytes(40);
console.log(process.memoryUsage().heapUsed / (1 << 20));
garbage = [];
setInterval(() => [kept, garbage], 1000);
