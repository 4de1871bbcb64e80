// npm run parts [-- NAME…]: fetches into .tools/ what the judges need and npm does not have, by exact version.
import process from "node:process";
import { installParts, PARTS, partsFolder } from "./parts/table.ts";
import { ROOT } from "./test/tier.ts";

const names = process.argv.slice(2);
const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
if (unknown) {
  console.error(`There is no part "${unknown}". Parts: ${PARTS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
process.exitCode = installParts(
  partsFolder(ROOT),
  PARTS.filter(({ name }) => names.length === 0 || names.includes(name)),
);
