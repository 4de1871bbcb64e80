import { constants, copyFile, link, lstat, open, rename, rm } from "node:fs/promises";
import process from "node:process";
import { EXIT, Failure, failureOf, isOutcomeUnknown, usage } from "./failure.ts";

export const PRIVATE_FILE = 0o600;

/**
 * Does `act`, and has its text in a new file: written before, so that a folder that takes no file fails first; in its
 * place after, whole, so that the file is there only when what it tells of is done. No file that is there is written over.
 * Where nobody knows whether it is done, the only copy of its text is kept beside.
 */
export async function withNewFile<T>(
  file: string,
  text: string,
  act: () => Promise<T>,
  { isOnlyCopy = false } = {},
): Promise<T> {
  if (await lstat(file).catch(() => undefined)) {
    throw usage(`${file} exists, and nothing was done: name a file that is not there yet.`);
  }
  const draft = `${file}.${process.pid}`;
  // What cannot be taken away says nothing of what was done.
  const removeDraft = () => rm(draft, { force: true }).catch(() => {});
  await writeNewFile(draft, text, PRIVATE_FILE).catch((error: Error) => {
    throw usage(`${file} cannot be written, and nothing was done: ${error.message}.`);
  });
  const result = await act().catch(async (error) => {
    if (isOnlyCopy && isOutcomeUnknown(error)) throw withDraft(failureOf(error), draft);
    await removeDraft();
    throw error;
  });
  await putInPlace(draft, file);
  await removeDraft();
  return result;
}

const withDraft = ({ exit, code, message }: Failure, draft: string) =>
  new Failure(
    exit,
    code,
    `${message} The text of the file is in ${draft}: move it if it is done, remove it if not.`,
  );

/** A rename would replace what came there meanwhile; and not every file system has links. */
async function putInPlace(draft: string, file: string): Promise<void> {
  await link(draft, file).catch(() => copyFile(draft, file, constants.COPYFILE_EXCL)).catch(
    (error: Error) => {
      throw new Failure(
        EXIT.dependency,
        "file_not_in_place",
        `It is done, but ${file} could not be put in place: ${error.message}. What belongs there is in ${draft}: move it.`,
      );
    },
  );
}

/** For a file that others read while it is written anew: they see the old one or the new one, whole. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  // Of a pipe, a device or a link the name would be taken away.
  const there = await lstat(file).catch(() => undefined);
  if (there && !there.isFile()) throw new Error("it is there, and no regular file");
  const draft = `${file}.${process.pid}`;
  await writeNewFile(draft, text, mode);
  await rename(draft, file).catch(async (error) => {
    await rm(draft, { force: true });
    throw error;
  });
}

/** Whole and durable, or not there at all. One that is there, from an earlier run too, may hold the only copy, and stays. */
export async function writeNewFile(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
