import { nameState } from "./ready_text.ts";

export const NO_ROOM: RegExp =
  /ENOSPC|EDQUOT|EFBIG|No space left on device|Disk quota exceeded|File too large/;
const CLOSED = /EACCES|EPERM|EROFS|Permission denied|Read-only file system/;
const OTHER_MAJOR =
  /initialized by PostgreSQL version (\d+), which is not compatible with this version (\d+)/;
/**
 * Matches whitespace and, at a line break in Postgres' log, the next line's timestamp. Replacing each match
 * with a space joins the lines into one sentence.
 */
const LOG_STAMPS = /\s*(?:\d{4}-\S+ \S+ UTC \[\d+\])?\s+/g;

/** Explains why `npm start` failed and what to do about it. */
export function explainFailure({ message }: Error, stateDir: string): string {
  return nameState(explain(message, stateDir), stateDir);
}

function explain(message: string, stateDir: string): string {
  if (NO_ROOM.test(message)) {
    return `The disk that holds ${stateDir} is full. Free half a gigabyte, or name a folder on another disk with ` +
      `--state, then start again. Files that were written completely are still there.`;
  }
  const [, theirs, ours] = OTHER_MAJOR.exec(message) ?? [];
  if (theirs) {
    return `The database in ${stateDir} was created by Postgres ${theirs}, but this version uses Postgres ${ours}. ` +
      `Start the version that created it, name another folder with --state, or delete this state: npm start -- --reset`;
  }
  if (CLOSED.test(message)) {
    return `${message}. Run npm start as a user who can write there, or name another folder with --state.`;
  }
  if (message.startsWith("Postgres does not start on ")) {
    const said = message.trim().replaceAll(LOG_STAMPS, " ");
    return `${said}. If its files are damaged, restore the folder from a copy, ` +
      `name another folder with --state, or start over: npm start -- --reset`;
  }
  return message;
}
