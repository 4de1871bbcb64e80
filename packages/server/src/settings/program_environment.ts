import process from "node:process";

const LOGIN_FORM = /DATABASE_URL$|^PG/;

/**
 * The environment for a program that prints the service's keys. It has no database login and no variable of
 * libpq.
 */
export const programEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !LOGIN_FORM.test(name)));
