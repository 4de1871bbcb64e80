import type { Sql } from "postgres";
import type { Invocation } from "./command.ts";
import {
  connect,
  connectReader,
  type Db,
  findDatabaseUrl,
  findKeyFile,
  findMigrationUrl,
  findReadUrl,
  findSecondUrl,
  openDb,
} from "./database.ts";
import { openKeyFile } from "./key_file.ts";
import { findSshKey } from "./ssh_key.ts";
import { TradeDay } from "./views/trade_day.ts";

/** The login, the connections and the keys of the person who runs `gold`. Each connects on its first use. */
export interface Person extends
  Pick<
    Invocation,
    | "db"
    | "query"
    | "read"
    | "trades"
    | "databaseUrl"
    | "secondDatabaseUrl"
    | "migrationUrl"
    | "keys"
    | "stateDir"
    | "path"
    | "env"
    | "reconnect"
    | "ownOptions"
  > {
  readonly findKey: () => Promise<string>;
  /** A connection that is open already. */
  readonly opened: () => Sql | undefined;
  readonly close: () => Promise<void>;
}

interface Options extends Pick<Invocation, "stateDir" | "path" | "env"> {
  /** The second person of an `npm start -- --two-people`. */
  readonly isSecond: boolean;
  /** The file of --ssh-key. */
  readonly sshKey: string | undefined;
}

/** The folder of `npm start`, below the project's root. */
export const DEFAULT_STATE = ".gold";
/** How long connections that are given up wait for the answers to what was sent. */
const LAST_ANSWER_SECONDS = 10;

export function openPerson({ env, stateDir, path, isSecond, sshKey }: Options): Person {
  let opened: Db | undefined;
  let reader: Sql | undefined;
  const databaseUrl = () => (isSecond ? findSecondUrl : findDatabaseUrl)(env, stateDir);
  const db = async () => opened ??= openDb(connect(await databaseUrl()));
  return {
    env,
    stateDir,
    ownOptions: [
      ...(stateDir === DEFAULT_STATE ? [] : ["--state", stateDir]),
      ...(isSecond ? ["--as", "second"] : []),
    ],
    path,
    db,
    query: async (text, ...parameters) => await (await db()).sql(text, ...parameters),
    async read(text, ...parameters) {
      reader ??= connectReader(await findReadUrl(isSecond ? {} : env, databaseUrl));
      return await reader(text, ...parameters);
    },
    trades: new TradeDay(),
    databaseUrl,
    secondDatabaseUrl: () => findSecondUrl(env, stateDir),
    migrationUrl: () => findMigrationUrl(env, stateDir),
    keys: openKeyFile(() => findKeyFile(env, stateDir)),
    findKey: async () => sshKey ?? await findSshKey(env, stateDir, await databaseUrl(), isSecond),
    opened: () => opened?.sql ?? reader,
    reconnect() {
      // A change that another page sent may still be answered.
      for (const sql of [opened?.sql, reader]) sql?.end({ timeout: LAST_ANSWER_SECONDS }).catch(() => {});
      [opened, reader] = [undefined, undefined];
    },
    async close() {
      await Promise.all([opened?.sql.end({ timeout: 2 }), reader?.end({ timeout: 2 })]);
    },
  };
}
