import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { until } from "../../tools/testing/until.ts";

/**
 * Returns a new state folder for `npm start`. With `firstStart`, the folders of one run of the tests are copies
 * of a state that it made once: a first start takes three times the CPU time of a later one. The demo partner of
 * each copy has the webhook URL of that state.
 */
export async function newState(firstStart?: (stateDir: string) => Promise<void>): Promise<string> {
  const stateDir = join(await mkdtemp(join(tmpdir(), "gold-contract-")), "state");
  const shared = process.env["TEST_SHARED"];
  if (!shared || !firstStart) return stateDir;
  const [original, made, failed] = [join(shared, "stack"), join(shared, "made"), join(shared, "failed")];
  const isMaker = await mkdir(join(shared, "claim")).then(() => true, () => false);
  if (isMaker) {
    await firstStart(original).then(() => writeFile(made, ""), async (error) => {
      await writeFile(failed, "");
      throw error;
    });
  }
  await until(() => existsSync(made) || existsSync(failed));
  if (!existsSync(made)) return stateDir;
  await promisify(execFile)("cp", ["-a", original, stateDir]);
  for (const file of await readdir(stateDir, { recursive: true })) {
    // These files name other files by their absolute paths.
    if (!/^(\w+|partners\/\w+\/\w+|loadtest\/[\w-]+)\.json$/.test(file)) continue;
    const path = join(stateDir, file);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(original, stateDir));
  }
  return stateDir;
}
