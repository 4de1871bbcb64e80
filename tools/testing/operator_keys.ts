import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Operator = (words: string, ...more: string[]) => Promise<Record<string, unknown>>;

/**
 * Makes an SSH key without a passphrase, with the real ssh-keygen. Returns the public key, without a line
 * feed.
 */
export function makeSshKey(file: string): string {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file], { stdio: "pipe" });
  return readFileSync(`${file}.pub`, "utf8").trim();
}

/** The line of the operators' keys that names the deployment, from the answer of `gold db status`. */
export const deploymentLine = ({ deployment_id, base_url }: Record<string, unknown>): string =>
  `# deployment ${deployment_id} ${base_url} Test\n`;

/**
 * Registers the first keys of the operators, as the migration login. `folder` then has the SSH key of
 * each login, under its name, and the file of OPERATOR_KEYS, whose path is returned.
 */
export async function registerOperatorKeys(
  migrate: Operator,
  folder: string,
  logins: readonly string[],
): Promise<string> {
  const file = join(folder, "operator_keys");
  const lines = logins.map((login) => `${login} ${makeSshKey(join(folder, login))}\n`);
  const keys = logins.flatMap((login) => ["--operator-key", `${login}=${join(folder, `${login}.pub`)}`]);
  await migrate("db migrate", ...keys);
  writeFileSync(file, deploymentLine(await migrate("db status")) + lines.join(""));
  return file;
}
