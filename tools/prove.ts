// npm run prove -- NAME [--short]: the long proofs, one name each.
import process from "node:process";
import { requireParts } from "./parts/table.ts";
import { ROOT, runTier } from "./test/tier.ts";

interface Proof {
  readonly says: string;
  prove(options: { readonly short: boolean }): Promise<boolean>;
}

const PROOFS: Readonly<Record<string, Proof>> = {
  judges: {
    says: "every *.judge.test.ts against the real parts, on Node and on Deno",
    prove: () => {
      requireParts(ROOT);
      return runTier("judge");
    },
  },
};

const [name = "", ...options] = process.argv.slice(2);
const proof = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined;
const unknown = options.find((option) => option !== "--short");
if (!proof || unknown) {
  if (name !== "") console.error(unknown ? `Unknown option ${unknown}.` : `There is no proof "${name}".`);
  console.error("npm run prove -- NAME [--short]");
  for (const [each, { says }] of Object.entries(PROOFS)) console.error(`  ${each.padEnd(8)} ${says}`);
  process.exit(name === "" ? 0 : 2);
}
process.exitCode = await proof.prove({ short: options.includes("--short") }) ? 0 : 1;
