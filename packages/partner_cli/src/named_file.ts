import { readFile } from "node:fs/promises";
import { usage } from "./failure.ts";

/** Reads a file. `name` is the option or the member that names the file. */
export async function readNamed(name: string, file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw usage(`${name} names a file that cannot be read: ${(error as Error).message}.`);
  }
}
