import { before, describe, it } from "node:test";
import { mkdir, writeFile } from "node:fs/promises";
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { findMigrationUrl } from "./database.ts";
import { Failure } from "./failure.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const [OPERATOR, MIGRATION] = ["postgres://operator@127.0.0.1/gold", "postgres://migration@127.0.0.1/gold"];
const ELSEWHERE = "postgres://somebody@db.example/gold?sslmode=verify-full";

describe("findMigrationUrl()", () => {
  const stateDir = temporaryFolder("gold-state");
  before(async () => {
    await mkdir(join(stateDir, "keys"));
    await writeFile(join(stateDir, "run.json"), JSON.stringify({ database_url: OPERATOR }));
    await writeFile(join(stateDir, "keys", "migration_database_url"), `${MIGRATION}\n`);
  });

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
