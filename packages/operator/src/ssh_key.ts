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
    if (await exists(file)) return file;
  }
  throw new Failure(
    EXIT.usage,
    "ssh_key_unknown",
    `${name} is not set, so gold cannot sign. Nothing was done. Set it to the absolute path of your SSH key, ` +
      "or give --ssh-key FILE. The name of a .pub file means a key in ssh-agent.",
  );
}

/** How long ssh-agent and a security key may take, with the time to type a passphrase. */
const LIMIT_MS = 60_000;

/**
 * Runs `ssh-keygen -Y sign`, which asks for a passphrase or a touch itself: on the terminal of this process, or
 * if it may not use it, with the program of SSH_ASKPASS.
 */
export const sshSigner = (
  key: string,
  progress: (text: string) => void,
  { mayUseTerminal = true, limitMs = LIMIT_MS }: { mayUseTerminal?: boolean; limitMs?: number | undefined } =
    {},
): SignText =>
async (
  namespace,
  text,
) => {
  const passed = Object.fromEntries(PASSED.map((name) => [name, process.env[name]]));
  const program = spawn("ssh-keygen", ["-q", "-Y", "sign", "-n", namespace, "-f", key], {
    env: { ...keyEnvironment(), ...passed },
    // In a session of its own, a program has no terminal.
    detached: !mayUseTerminal,
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
  let isLate = false;
  const limit = setTimeout(() => isLate = program.kill("SIGKILL"), limitMs);
  const exit = await new Promise<number | null>((resolve, reject) => {
    program.on("error", reject).on("close", resolve);
  }).catch((error: Error) => {
    throw unsigned("not_signed", `ssh-keygen cannot be run (${error.message}). Install OpenSSH's client.`);
  }).finally(() => clearTimeout(limit));
  if (exit === 0) return out!.join("");
  throw await whyUnsigned(key, said!.join("").trim() || `it ended with ${exit}`, isLate);
};

/** Names what went wrong, and says what the person can do. */
async function whyUnsigned(key: string, said: string, isLate: boolean): Promise<Failure> {
  if (said.includes("passphrase")) {
    return unsigned(
      "passphrase_wrong",
      `The passphrase of ${key} is wrong, or nobody could be asked for it. Try again in a terminal, set SSH_ASKPASS, ` +
        `or add the key to ssh-agent with \`ssh-add\`.`,
    );
  }
  if (isLate || said.includes("presence")) {
    return unsigned(
      "touch_timed_out",
      `Nobody touched the security key of ${key}, or confirmed the use of the key in ssh-agent, in time. Try again.`,
    );
  }
  if (!await exists(key)) {
    return unsigned("key_absent", `There is no SSH key ${key}. Set GOLD_SSH_KEY, or give --ssh-key FILE.`);
  }
  if (/No private key found|\bagent\b/i.test(said)) {
    return unsigned(
      "agent_failed",
      `ssh-agent did not sign with ${key} (${said}). Check SSH_AUTH_SOCK, and that \`ssh-add -l\` lists the key.`,
    );
  }
  return unsigned("not_signed", `ssh-keygen could not sign with ${key}: ${said}.`);
}

const exists = (file: string): Promise<boolean> => stat(file).then(() => true, () => false);
const unsigned = (code: string, message: string) => new Failure(EXIT.dependency, code, message);
