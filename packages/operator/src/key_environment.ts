import process from "node:process";

const PASSED = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR)$/;

/**
 * The environment of a program that prints a key or signs. It has no DATABASE_URL and no variable of libpq,
 * because a program that reads one key needs no database login. A program that needs another variable sets
 * it itself, for example with /usr/bin/env.
 */
export const keyEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
