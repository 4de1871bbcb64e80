import type { Deployment } from "./deployment.ts";

/**
 * Returns a function that a proof calls before each round. It sets the vault to `stripes` stripes and to one
 * stripe by turns, so that the proof covers both.
 */
export function alternateStripes(deployment: Deployment, stripes: number): () => Promise<unknown> {
  let rounds = 0;
  return () => {
    const count = rounds++ % 2 === 0 ? stripes : 1;
    return deployment.inNewSession((sql) => sql`select gold.set_stripes(${count})`, "migration");
  };
}
