import process from "node:process";
import { parseArgs } from "node:util";
import type { Defect } from "./defects/defect.ts";
import { DEFECTS } from "./defects/mod.ts";
import { ProvingGround } from "./defects/proving_ground.ts";

// npm run prove -- defects [--short] [--only TEXT]: each defect is planted alone into a copy of the sources, and a test must go red.

const { values: { short, only } } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const defects = DEFECTS.filter((defect) => (!short || defect.short) && defect.name.includes(only));
if (defects.length === 0) {
  console.error(`No defect's name holds "${only}".`);
  process.exit(2);
}

const opening = ProvingGround.open();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void opening.then((ground) => ground.close()).finally(() => process.exit(1)));
}
const ground = await opening;
let caught = 0;
let sound = false;
try {
  sound = await control(ground);
  if (sound) { for (const defect of defects) if (await plantOne(ground, defect)) caught++; }
} finally {
  await ground.close();
}
console.log(`defects: ${sound ? defects.length : 0} planted, ${caught} caught`);
process.exit(sound && caught === defects.length ? 0 : 1);

/** Without a defect every test that is called upon is green: else red would say nothing. */
async function control(ground: ProvingGround): Promise<boolean> {
  const files = [...new Set(defects.flatMap(({ tests }) => tests))];
  const start = performance.now();
  let green = true;
  for (const file of files) {
    const { verdict, output } = await ground.runUnbroken(file);
    if (verdict === "green") continue;
    console.log(`✘ ${file} ${verdict === "hangs" ? "hangs" : "is red"} without any defect\n${output}`);
    green = false;
  }
  if (green) console.log(`✔ control: ${files.length} test files are green without a defect${since(start)}`);
  return green;
}

async function plantOne(ground: ProvingGround, defect: Defect): Promise<boolean> {
  const start = performance.now();
  const outcome = await ground.try(defect);
  const caught = "seenBy" in outcome;
  console.log(
    `${caught ? "✔" : "✘"} ${defect.name}: ${caught ? outcome.seenBy : outcome.fault}${since(start)}`,
  );
  return caught;
}

function since(start: number): string {
  return `, ${((performance.now() - start) / 1000).toFixed(1)} s`;
}
