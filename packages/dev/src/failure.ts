import { nameState } from "./ending.ts";

const NO_ROOM = /ENOSPC|EDQUOT|EFBIG|No space left on device|Disk quota exceeded|File too large/;
const CLOSED = /EACCES|EPERM|EROFS|Permission denied|Read-only file system/;
const OTHER_MAJOR =
  /initialized by PostgreSQL version (\d+), which is not compatible with this version (\d+)/;
/**
 * Matches whitespace and, at a line break in Postgres' log, the next line's timestamp. Replacing each match
 * by a space joins the lines into one sentence.
 */
const LOG_STAMPS = /\s*(?:\d{4}-\S+ \S+ UTC \[\d+\])?\s+/g;

/** Explains why `npm start` failed and what to do about it. */
export function explainFailure({ message }: Error, stateDir: string): string {
  return nameState(explain(message, stateDir), stateDir);
}

function explain(message: string, stateDir: string): string {
  if (NO_ROOM.test(message)) {
    return `The disk that holds ${stateDir} is full. Free half a gigabyte, or name a folder on another disk by ` +
      `--state, then start again: what was written in whole is still there.`;
  }
  const [, theirs, ours] = OTHER_MAJOR.exec(message) ?? [];
  if (theirs) {
    return `The database in ${stateDir} was made by Postgres ${theirs}, and this version brings Postgres ${ours}. ` +
      `Start the version that made it, name another folder by --state, or forget that database: npm start -- --reset`;
  }
  if (CLOSED.test(message)) {
    return `${message}. Start as the user who may write there, or name another folder by --state.`;
  }
  if (message.startsWith("Postgres does not start on ")) {
    const said = message.trim().replaceAll(LOG_STAMPS, " ");
    return `${said}; where its files are damaged, put the folder back from a copy, ` +
      `name another one by --state, or begin anew: npm start -- --reset`;
  }
  return message;
}
