import { link, lstat, open, rename, rm } from "node:fs/promises";
import process from "node:process";
import { usage } from "./failure.ts";

const PRIVATE_FILE = 0o600;

/**
 * Does `act`, and has its text in a new file: written before, so that a folder that takes no file fails first; in its
 * place after, whole, so that the file is there only when what it tells of is done. No file that is there is written over.
 */
export async function withNewFile<T>(file: string, text: string, act: () => Promise<T>): Promise<T> {
  if (await lstat(file).catch(() => undefined)) {
    throw usage(`${file} exists, and nothing was done: name a file that is not there yet.`);
  }
  const draft = `${file}.${process.pid}`;
  try {
    await writeDraft(draft, text, PRIVATE_FILE).catch((error: Error) => {
      throw usage(`${file} cannot be written, and nothing was done: ${error.message}.`);
    });
    const result = await act();
    // A rename would replace what came there meanwhile.
    await link(draft, file);
    return result;
  } finally {
    // What cannot be taken away says nothing of what was done.
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** For a file that others read while it is written anew: they see the old one or the new one, whole. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    await writeDraft(draft, text, mode);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}

async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  const handle = await open(draft, "wx", mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
