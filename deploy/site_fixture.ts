import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@gold-partner/dev/postgres";
import postgres from "postgres";
import { type Container, TestEngine } from "./engine_fixture.ts";
import { containerPath, stageImage } from "./image_fixture.ts";
import type { Gold } from "./partner_fixture.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * An environment for containers: the image's folder, a Postgres server with an empty database, and an engine.
 */
export interface Site {
  readonly folder: string;
  /** The files that a platform team needs, with the secrets that deploy/make_secrets made. */
  readonly checkout: string;
  readonly engine: TestEngine;
  /** The superuser's environment variables for `psql`. */
  readonly superuser: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function openSite(ports: readonly number[]): Promise<Site> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gold-site-")));
  const image = join(folder, "image");
  stageImage(ROOT, image);
  const server = await startPostgres({ dataDir: join(folder, "postgres") });
  const sql = postgres(server.superuserUrl("postgres"), { max: 1, onnotice: () => {} });
  await sql`create database gold`;
  await sql.end();
  const hosts = { "database:5432": `127.0.0.1:${server.port}` };
  const engine = await TestEngine.open({ image, path: containerPath(ROOT), folder, hosts }, ports);
  const { username, password } = new URL(server.superuserUrl());
  return {
    folder,
    checkout: makeCheckout(join(folder, "checkout")),
    engine,
    superuser: {
      PGHOST: "127.0.0.1",
      PGPORT: `${server.port}`,
      PGPASSWORD: password,
      POSTGRES_USER: username,
    },
    async stop() {
      await engine.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the files that a platform team needs and runs deploy/make_secrets. */
export function makeCheckout(folder: string): string {
  for (const entry of ["docker-compose.yml", "deploy"]) {
    cpSync(join(ROOT, entry), join(folder, entry), { recursive: true });
  }
  for (const entry of ["loadtest", "packages"]) symlinkSync(join(ROOT, entry), join(folder, entry));
  const { status, stderr } = spawnSync(join(folder, "deploy/make_secrets"), { encoding: "utf8" });
  if (status !== 0 || stderr !== "") throw new Error(`deploy/make_secrets exited with ${status}: ${stderr}`);
  return folder;
}

/** Returns `gold` as an operator runs it in its container. */
export function goldIn(engine: TestEngine, container: Container): Gold {
  return async (words, ...more) => {
    const all = [...words.split(" "), ...more, "--json", "--yes"];
    const { code, output } = await engine.run(container, container.words, all);
    if (code !== 0) throw new Error(`gold ${words} exited with ${code}: ${output}`);
    // The output contains the lines of standard error, too, which come first.
    return JSON.parse(output.slice(output.indexOf("{"))) as Record<string, unknown>;
  };
}
