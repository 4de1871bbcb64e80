import process from "node:process";

const LOGIN_FORM = /DATABASE_URL$|^PGPASSWORD$/;

/**
 * The environment for a program that prints keys or signs. It lacks the database login, because one person
 * may configure the program and another may run it. The program must not get the login of the person who runs
 * it.
 */
export const programEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !LOGIN_FORM.test(name)));
