import { execFile } from "node:child_process";
import { keyEnvironment } from "../key_environment.ts";
import { readEcdsaSignature } from "./der.ts";
import { PkiError } from "./errors.ts";
import { ECDSA_SHA256, importPrivateKey } from "./key_pair.ts";

/** The CA's private key, in a file or behind a program. Callers get only signatures, never the key. */
export interface AuthorityKey {
  /** Signs the DER with ECDSA and SHA-256. Returns r‖s, 64 bytes. */
  sign(tbs: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 65_536;
const MAX_COMPLAINT_CHARACTERS = 300;

/** Reads a key from the text of a PKCS#8 PEM file. */
export async function readAuthorityKey(pem: string): Promise<AuthorityKey> {
  const key = await importPrivateKey(pem);
  return { sign: async (tbs) => new Uint8Array(await crypto.subtle.sign(ECDSA_SHA256, key, tbs)) };
}

/**
 * Uses a key behind a program, such as an HSM's or a cloud KMS's. The program reads the bytes on its
 * standard input and writes their ECDSA-SHA256 signature in DER to its standard output, as
 * `openssl dgst -sha256 -sign` does. It is started without a shell, so nothing in the arguments is expanded.
 */
export function useSigningCommand(argv: readonly string[], timeoutMs = DEFAULT_TIMEOUT_MS): AuthorityKey {
  return {
    async sign(tbs) {
      const output = await runCommand(argv, tbs, timeoutMs);
      const signature = readEcdsaSignature(output);
      if (signature !== null) return signature;
      throw failure(
        argv,
        `wrote ${output.length} bytes that are not an ECDSA signature in DER on P-256 (it must write the raw DER: no text, base64 or line end)`,
      );
    },
  };
}

function runCommand(argv: readonly string[], input: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
  const [program = "", ...rest] = argv;
  const options = {
    encoding: "buffer",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
    env: keyEnvironment(),
  } as const;
  return new Promise((resolve, reject) => {
    try {
      const child = execFile(program, rest, options, (error, stdout, stderr) => {
        if (error === null) resolve(new Uint8Array(stdout));
        else reject(failure(argv, describeExit(error, timeoutMs), stderr.toString("utf8"), error));
      });
      // Ignore the broken pipe of a program that exits without reading: its exit status reports the failure.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    } catch (error) {
      reject(failure(argv, "could not be started", "", error));
    }
  });
}

function describeExit(error: { code?: unknown; killed?: unknown }, timeoutMs: number): string {
  if (error.code === "ENOENT") return "was not found";
  if (error.code === "EACCES") return "may not be executed by this user";
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `wrote more than ${MAX_OUTPUT_BYTES} bytes`;
  if (error.killed === true) return `gave no answer within ${timeoutMs / 1000} s`;
  return typeof error.code === "number" ? `ended with status ${error.code}` : "ended before it answered";
}

function failure(argv: readonly string[], what: string, complaint = "", cause?: unknown): PkiError {
  const said = complaint.trim().slice(0, MAX_COMPLAINT_CHARACTERS);
  const quoted = said === "" ? "" : ` Its error output: ${said}.`;
  return new PkiError(
    "signing_command_failed",
    `The signing command "${
      argv[0] ?? ""
    }" ${what}; nothing was signed.${quoted} Run it by hand: it must read the bytes on standard input and write their ECDSA-SHA256 signature in DER to standard output.`,
    { cause },
  );
}
