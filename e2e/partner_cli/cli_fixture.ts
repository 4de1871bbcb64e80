import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { goldPartner, type Terminal } from "@gold-partner/cli";
import type { Credentials } from "@gold-partner/dev";
import { type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import type { Stack } from "../contract/stack_fixture.ts";

/** One line of `doctor` or `check-receiver`, as --json prints it. */
export interface Found {
  readonly check: string;
  readonly result: "ok" | "failed" | "skipped";
  readonly detail: string;
  readonly cure: string | null;
}

export interface Run {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command of the partner's command line in this process. */
export async function runCli(argv: readonly string[], terminal: Partial<Terminal> = {}): Promise<Run> {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await goldPartner(argv, {
    env: {},
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    now: Date.now,
    untilStopped: () => new AbortController().signal,
    ...terminal,
  });
  return { exit, out: out.join("\n"), err: err.join("\n") };
}

/** Writes a `credentials.json` with some members changed, and returns its path. A null removes a member. */
export async function writeCredentials(
  folder: string,
  credentials: Credentials,
  changes: Partial<Record<keyof Credentials, string | null>> & { known_thumbprints?: readonly string[] } = {},
): Promise<string> {
  const members = Object.entries({ ...credentials, ...changes }).filter(([, value]) => value !== null);
  const file = join(folder, `credentials_${crypto.randomUUID()}.json`);
  await writeFile(file, JSON.stringify(Object.fromEntries(members)));
  return file;
}

/** Opens the receiver that is registered for the first partner of the stack. */
export async function openReceiver({ running: { state, baseUrl } }: Stack): Promise<TestReceiver> {
  const [cert, key] = await Promise.all(
    ["receiver.pem", "receiver_key.pem"].map((name) => readFile(state.path("pki", name), "utf8")),
  );
  return await testReceiver({
    port: Number(new URL(baseUrl).port) + 1,
    certificate: { cert: cert!, key: key! },
  });
}
