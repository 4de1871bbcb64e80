import process from "node:process";

const LOGIN_FORM = /DATABASE_URL$|^PGPASSWORD$/;

/** For a program that gives keys or signs: one person may have chosen it and another one calls it, whose login is nobody else's. */
export const programEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !LOGIN_FORM.test(name)));
