import { execFile, type ExecFileException } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLIENT_ID, ORGANIZATION } from "./samples.ts";

/**
 * Runs the openssl command line in a temporary folder. The external checks use it to verify certificates,
 * certificate signing requests and revocation lists.
 */
export interface OpensslFolder {
  /** Runs openssl with these words. Each part of `more` is one argument, even if it has a space. */
  run(words: string, ...more: string[]): Promise<{ status: number; output: string }>;
  keep(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  path(name: string): string;
  remove(): Promise<void>;
}

export const NEW_P256 = "-newkey ec -pkeyopt ec_paramgen_curve:P-256";

export async function openFolder(): Promise<OpensslFolder> {
  const folder = await mkdtemp(join(tmpdir(), "gold-pki-"));
  const path = (name: string): string => join(folder, name);
  return {
    run: (words, ...more) => runOpenssl(folder, [...words.split(" "), ...more]),
    keep: (name, text) => writeFile(path(name), text),
    read: (name) => readFile(path(name), "utf8"),
    path,
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Makes a certificate signing request with openssl, for the client id and the organization of samples.ts. */
export async function requestBy(openssl: OpensslFolder, options: string): Promise<string> {
  const subject = `/CN=${escapeSubject(CLIENT_ID)}/O=${escapeSubject(ORGANIZATION)}`;
  const files = "-keyout client.key -out client.csr";
  const { status, output } = await openssl.run(`req -new -utf8 -nodes ${files} ${options} -subj`, subject);
  if (status !== 0) throw new Error(output);
  return await openssl.read("client.csr");
}

function runOpenssl(folder: string, args: readonly string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve, reject) => {
    execFile("openssl", args, { cwd: folder, timeout: 20_000 }, (error, stdout, stderr) => {
      if (error === null) resolve({ status: 0, output: stdout + stderr });
      else if (typeof error.code === "number") resolve({ status: error.code, output: stdout + stderr });
      else reject(new Error(explainFailure(error), { cause: error }));
    });
  });
}

function explainFailure(error: ExecFileException): string {
  return error.code === "ENOENT"
    ? "openssl is not on the PATH: install it, then run: node tools/run.mjs tools"
    : `openssl could not be started, or a signal ended it: ${error.message}`;
}

/** Escapes the characters that have a special meaning for openssl in a value of -subj. */
function escapeSubject(value: string): string {
  return value.replace(/[/+\\]/g, "\\$&");
}
