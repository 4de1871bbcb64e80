import { randomUUID } from "node:crypto";
import { constants, copyFile, link, lstat, open, rename, rm } from "node:fs/promises";
import process from "node:process";
import { EXIT, Failure, failureOf, mayTakeEffect, usage } from "./failure.ts";

export const PRIVATE_FILE = 0o600;

/**
 * Runs `act`, and saves `text` as a new file if `act` succeeds. First writes the text to a draft in the same
 * folder, so that the command fails before `act` runs if the folder is not writable. The draft gets its final
 * name only after `act` has succeeded. A file with the final name is therefore complete, and `act` has made
 * its change. An existing file is never overwritten. `isOnlyCopy` says that the text is stored nowhere else.
 * In that case the draft is kept if the change may have been made, or can still be made.
 */
export async function withNewFile<T>(
  file: string,
  text: string | AsyncIterable<string>,
  act: () => Promise<T>,
  { isOnlyCopy = false } = {},
): Promise<T> {
  await requireNew(file);
  const draft = `${file}.${process.pid}`;
  // Ignore a draft that cannot be removed, because it does not change the outcome.
  const removeDraft = () => rm(draft, { force: true }).catch(() => {});
  await writeNewFile(draft, text, PRIVATE_FILE).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    throw usage(`${file} cannot be written, and nothing was done: ${error.message}.`);
  });
  const result = await act().catch(async (error) => {
    if (isOnlyCopy && mayTakeEffect(error)) throw withDraft(failureOf(error), draft);
    await removeDraft();
    throw error;
  });
  await putInPlace(draft, file);
  await removeDraft();
  return result;
}

/** Refuses the name of a file that exists. */
export async function requireNew(file: string): Promise<void> {
  if (await lstat(file).catch(() => undefined)) {
    throw usage(`${file} already exists. Nothing was done. Name a file that does not exist yet.`);
  }
}

const withDraft = ({ exit, code, message, isProposed }: Failure, draft: string) =>
  new Failure(
    exit,
    code,
    `${message} The content of the file is in ${draft}: if the change is made, move it into place; otherwise delete it.`,
    isProposed,
  );

/**
 * Gives the draft its final name with a hard link. A rename would overwrite a file that was created there
 * meanwhile. Some file systems have no hard links, so a copy is the fallback.
 */
async function putInPlace(draft: string, file: string): Promise<void> {
  await link(draft, file).catch(() => copyFile(draft, file, constants.COPYFILE_EXCL)).catch(
    (error: Error) => {
      throw new Failure(
        EXIT.dependency,
        "file_not_in_place",
        `The command succeeded, but ${file} could not be written: ${error.message}. The content of the file is in ${draft}: move it to a free file name.`,
      );
    },
  );
}

/**
 * Replaces a file that other programs may be reading. They see the complete old file or the complete new one.
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  // Refuse a pipe, a device or a link, because a rename would replace it with a regular file.
  const there = await lstat(file).catch(() => undefined);
  if (there && !there.isFile()) throw new Error("it exists and is not a regular file");
  const draft = `${file}.${randomUUID()}`;
  await writeNewFile(draft, text, mode);
  await rename(draft, file).catch(async (error) => {
    await rm(draft, { force: true });
    throw error;
  });
}

/**
 * Writes a complete and durable file, or none. Fails if the file exists, because the file of an earlier run
 * may be the only copy of its text.
 */
export async function writeNewFile(
  file: string,
  text: string | AsyncIterable<string>,
  mode: number,
): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    for await (const part of typeof text === "string" ? [text] : text) await handle.writeFile(part);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
