// npm run parts [-- NAME…]: installs the external tools that the external checks need into .tools/, at pinned
// versions. openssl and Chromium are not installed: they must already be on this machine.
import process from "node:process";
import { installParts, PARTS, partsFolder } from "./parts/table.ts";
import { ROOT } from "./test/tier.ts";

const names = process.argv.slice(2);
const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
if (unknown) {
  console.error(
    `There is no external tool "${unknown}". Tools: ${PARTS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
process.exitCode = installParts(
  partsFolder(ROOT),
  PARTS.filter(({ name }) => names.length === 0 || names.includes(name)),
);
