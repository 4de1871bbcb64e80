// npm run tools [-- NAME…]: installs the external tools that the external checks need into .tools/, at pinned
// versions. openssl, Chromium and Java are not installed: they must already be on this machine. The name "gate"
// stands for all tools that .ci/run needs.
import process from "node:process";
import { EXTERNAL_TOOLS, GATE_TOOLS, installTools, toolsFolder } from "./external_tools/table.ts";
import { ROOT } from "./test/tier.ts";

const names = process.argv.slice(2).flatMap((name) =>
  name === "gate" ? GATE_TOOLS.map(({ name }) => name) : [name]
);
const unknown = names.find((name) => !EXTERNAL_TOOLS.some((part) => part.name === name));
if (unknown) {
  console.error(
    `There is no external tool "${unknown}". Tools: ${EXTERNAL_TOOLS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
process.exitCode = installTools(
  toolsFolder(ROOT),
  EXTERNAL_TOOLS.filter(({ name }) => names.length === 0 || names.includes(name)),
);
