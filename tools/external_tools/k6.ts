import { goProgram } from "./go_program.ts";

/** The load generator. A first build takes about 90 s. */
export const k6 = goProgram("k6", {
  path: "go.k6.io/k6",
  version: "v1.8.1",
  sum: "h1:orZsbZ2Od0CVZICs9YpTgkKcxfPghJW8VZtwg0cj8H8=",
});
