import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startPostgres } from "@gold-partner/dev/postgres";
import { DebianPostgres, makeServerFolder } from "../../../../tools/testing/debian_postgres.ts";
import { openAuditConnection } from "../snapshot.ts";
import { majorVersion } from "./builtin.ts";

export interface OwnServer {
  urlOf(database: string): string;
  stop(): Promise<void>;
}

/** Starts a server that an edited catalog may crash, of the version on which the suites run. */
export async function ownServer(): Promise<OwnServer> {
  const shared = process.env.TEST_POSTGRES_URL;
  if (shared !== undefined && await versionAt(shared) === "15") {
    const folder = makeServerFolder();
    const server = await DebianPostgres.create(folder);
    return {
      urlOf: (database) => server.url(database),
      async stop() {
        await server.crash();
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  }
  const dataDir = mkdtempSync(join(tmpdir(), "gold-catalog-"));
  const server = await startPostgres({ dataDir });
  return {
    urlOf: server.superuserUrl,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function versionAt(url: string): Promise<string> {
  const sql = openAuditConnection(url);
  return await majorVersion(sql).finally(() => sql.end({ timeout: 1 }));
}
