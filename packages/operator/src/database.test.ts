import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "../../../tools/testing/assert.ts";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMigrationUrl } from "./database.ts";
import { Failure } from "./failure.ts";

const [OPERATOR, MIGRATION] = ["postgres://operator@127.0.0.1/gold", "postgres://migration@127.0.0.1/gold"];
const ELSEWHERE = "postgres://somebody@db.example/gold?sslmode=verify-full";

describe("findMigrationUrl()", () => {
  let stateDir: string;
  before(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "gold-state-"));
    await mkdir(join(stateDir, "keys"));
    await writeFile(join(stateDir, "run.json"), JSON.stringify({ database_url: OPERATOR }));
    await writeFile(join(stateDir, "keys", "migration_database_url"), `${MIGRATION}\n`);
  });
  after(() => rm(stateDir, { recursive: true }));

  it("returns MIGRATION_DATABASE_URL, otherwise the migration URL of the running npm start", async () => {
    assertEquals(await findMigrationUrl({ MIGRATION_DATABASE_URL: ELSEWHERE }, stateDir), ELSEWHERE);
    assertEquals(await findMigrationUrl({}, stateDir), MIGRATION);
  });

  it("returns DATABASE_URL if it is set, and not the migration URL of the running npm start", async () => {
    assertEquals(await findMigrationUrl({ DATABASE_URL: ELSEWHERE }, stateDir), ELSEWHERE);
  });

  it("rejects an invalid URL without printing it, and says what to set if no URL is set", async () => {
    const wrong = await assertRejects(
      () => findMigrationUrl({ MIGRATION_DATABASE_URL: "mysql://root:secret@db" }, stateDir),
      Failure,
    );
    assertEquals(
      wrong.message,
      "MIGRATION_DATABASE_URL must be a postgres:// URL; its value is not shown, because it may hold a password.",
    );
    await assertRejects(
      () => findMigrationUrl({}, join(stateDir, "none")),
      Failure,
      "DATABASE_URL is not set, and no",
    );
  });
});
