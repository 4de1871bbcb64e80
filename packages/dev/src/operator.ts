import { gold } from "@gold-partner/operator";

/** Runs one command: its words in one text, then arguments that hold spaces or come from elsewhere. */
export type Operator = (words: string, ...more: string[]) => Promise<Record<string, unknown>>;

/** The operator's own commands: what is onboarded here is onboarded as in production. Some take a second person's login. */
export function asOperator(databaseUrl: string, secondDatabaseUrl?: string): Operator {
  return async (words, ...more) => {
    const out: string[] = [];
    const err: string[] = [];
    const exit = await gold([...words.split(" "), ...more, "--json", "--yes"], {
      env: { DATABASE_URL: databaseUrl, SECOND_DATABASE_URL: secondDatabaseUrl },
      out: (text) => out.push(text),
      err: (text) => err.push(text),
      now: () => new Date(),
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    });
    if (exit !== 0) {
      throw new Error(`gold ${words}: ${(JSON.parse(err.join("")) as { detail: string }).detail}`);
    }
    return JSON.parse(out.join("")) as Record<string, unknown>;
  };
}
