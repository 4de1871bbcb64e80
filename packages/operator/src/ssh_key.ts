import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import process from "node:process";
import { EXIT, Failure, usage } from "./failure.ts";
import { keyEnvironment } from "./key_environment.ts";
import { findStartOf, operatorKeyFile } from "./run_file.ts";

/** Returns the armored signature of `ssh-keygen -Y sign`. */
export type SignText = (namespace: string, text: string) => Promise<string>;

/** What ssh-keygen needs for ssh-agent, for a passphrase and for a security key. */
const PASSED = [
  "SSH_AUTH_SOCK",
  "SSH_SK_PROVIDER",
  "SSH_ASKPASS",
  "SSH_ASKPASS_REQUIRE",
  "DISPLAY",
  "WAYLAND_DISPLAY",
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the person's SSH key: GOLD_SSH_KEY, with `--as second` SECOND_SSH_KEY, else the key that
 * `npm start -- --two-people` made for this login.
 */
export async function findSshKey(
  env: Environment,
  stateDir: string,
  databaseUrl: string,
  isSecond: boolean,
): Promise<string> {
  const name = isSecond ? "SECOND_SSH_KEY" : "GOLD_SSH_KEY";
  const given = env[name];
  if (given) {
    if (isAbsolute(given)) return given;
    throw usage(`${name} must be an absolute path; got ${given}.`);
  }
  const start = await findStartOf(env, stateDir, () => databaseUrl);
  if (start) {
    const person = start.second_database_url === databaseUrl ? "second" : "first";
    const file = operatorKeyFile(start.stateDir, person);
    if (await stat(file).then(() => true, () => false)) return file;
  }
  throw new Failure(
    EXIT.usage,
    "ssh_key_unknown",
    `${name} is not set, so gold cannot sign. Nothing was done. Set it to the absolute path of your SSH key, ` +
      "or give --ssh-key FILE. The name of a .pub file means a key in ssh-agent.",
  );
}

/** Runs `ssh-keygen -Y sign`, which asks for a passphrase or a touch itself. */
export const sshSigner =
  (key: string, progress: (text: string) => void): SignText => async (namespace, text) => {
    const passed = Object.fromEntries(PASSED.map((name) => [name, process.env[name]]));
    const program = spawn("ssh-keygen", ["-q", "-Y", "sign", "-n", namespace, "-f", key], {
      env: { ...keyEnvironment(), ...passed },
    });
    const [out, said]: string[][] = [[], []];
    program.stdout.setEncoding("utf8").on("data", (part: string) => out!.push(part));
    program.stderr.setEncoding("utf8").on("data", (part: string) => {
      said!.push(part);
      // Shows at once that the security key waits for a touch.
      if (part.includes("presence")) progress(part.trim());
    });
    // ssh-keygen may fail before it has read the text. Its exit code then says so.
    program.stdin.on("error", () => {}).end(text);
    const exit = await new Promise<number | null>((resolve, reject) => {
      program.on("error", reject).on("close", resolve);
    }).catch((error: Error) => {
      throw unsigned(`ssh-keygen cannot be run (${error.message}). Install OpenSSH's client.`);
    });
    if (exit === 0) return out!.join("");
    throw unsigned(
      `ssh-keygen could not sign with ${key}: ${said!.join("").trim() || `it ended with ${exit}`}.`,
    );
  };

const unsigned = (message: string) => new Failure(EXIT.dependency, "not_signed", message);
