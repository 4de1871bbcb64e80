import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "../../../../tools/testing/assert.ts";
import { removeFolder } from "./remove_folder.ts";
import { findPostmaster } from "./postmaster.ts";
import { startPostgres } from "./start_postgres.ts";
import { type DatabaseTemplate, type TestPostgres, testPostgres } from "./test_postgres.ts";
import { query } from "./fixture.ts";

describe("testPostgres()", () => {
  const given = process.env.TEST_POSTGRES_URL;
  const usual = process.env.TMPDIR;
  let folder: string;
  let server: TestPostgres;

  before(async () => {
    delete process.env.TEST_POSTGRES_URL;
    // Use a separate folder for temporary files. This suite tests what a killed process leaves, and in the
    // shared folder another test process may remove that at any time.
    folder = fs.mkdtempSync(join(tmpdir(), "gold-tmp-"));
    fs.chmodSync(folder, 0o755);
    process.env.TMPDIR = folder;
    server = await testPostgres();
  });

  after(async () => {
    await server.stop();
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    await removeFolder(folder);
    if (given !== undefined) process.env.TEST_POSTGRES_URL = given;
  });

  const read = (url: string, text: string): Promise<Record<string, unknown>[]> =>
    query(url, async (sql) => [...await sql.unsafe(text)]);

  function countingTemplate(name: string): DatabaseTemplate & { prepared: number } {
    return {
      name,
      prepared: 0,
      async prepare(url) {
        this.prepared++;
        await read(url, "create table migrated as select 1 as version");
      },
    };
  }

  it("prepares a template once and copies it into separate databases", async () => {
    const template = countingTemplate("template_one");
    const urls = await Promise.all([1, 2, 3].map(() => server.createDatabase(template)));
    assertEquals([new Set(urls).size, template.prepared], [3, 1]);
    await read(urls[0]!, "insert into migrated values (2)");
    assertEquals(await read(urls[0]!, "select count(*)::int from migrated"), [{ count: 2 }]);
    assertEquals(await read(urls[1]!, "select count(*)::int from migrated"), [{ count: 1 }]);
  });

  it("creates an empty database without a template", async () => {
    const url = await server.createDatabase();
    assertEquals(await read(url, "select to_regclass('migrated') as found"), [{ found: null }]);
  });

  it("prepares a template again if its preparation failed", async () => {
    const broken = { name: "template_two", prepare: () => Promise.reject(new Error("migration 7 failed")) };
    await assertRejects(() => server.createDatabase(broken), Error, "migration 7 failed");
    // `other` simulates another test process on the same server.
    await withGivenServer(server.superuserUrl(), async (other) => {
      const template = countingTemplate("template_two");
      const url = await other.createDatabase(template);
      assertEquals([(await read(url, "select version from migrated")).length, template.prepared], [1, 1]);
    });
  });

  it("rejects an invalid template name", async () => {
    for (const name of ["", "Upper", "a-b", 'a"b', "1a", "a".repeat(64)]) {
      await assertRejects(() => server.createDatabase(countingTemplate(name)), RangeError);
    }
  });

  it("uses TEST_POSTGRES_URL, shares templates there and drops the databases that it created", async () => {
    const databases = (): Promise<Record<string, unknown>[]> =>
      read(server.superuserUrl(), "select datname from pg_database where datname like 'test\\_%' order by 1");
    const earlier = await databases();
    const templates = [countingTemplate("template_three"), countingTemplate("template_three")];
    await Promise.all(templates.map((template) =>
      withGivenServer(server.superuserUrl(), async (other) => {
        const url = await other.createDatabase(template);
        assertEquals(await read(url, "select version from migrated"), [{ version: 1 }]);
      })
    ));
    assertEquals(templates.map(({ prepared }) => prepared).sort(), [0, 1]);
    assertEquals(await databases(), earlier);
  });

  it("removes the server of a test process that was killed", async () => {
    const dead = spawn("true");
    await once(dead, "exit");
    const dataDir = fs.mkdtempSync(join(tmpdir(), `gold-test-postgres-${dead.pid}-`));
    await startPostgres({ dataDir });
    const mine = fs.mkdtempSync(join(tmpdir(), `gold-test-postgres-${process.pid}-`));
    const another = await testPostgres();
    assertEquals([fs.existsSync(dataDir), findPostmaster(join(dataDir, "cluster"))], [false, undefined]);
    assertEquals(fs.existsSync(mine), true);
    fs.rmdirSync(mine);
    await another.stop();
    const left = fs.readdirSync(tmpdir()).filter((name) =>
      name.startsWith(`gold-test-postgres-${process.pid}-`)
    );
    assertEquals(left.length, 1); // The folder of this suite.
  });

  async function withGivenServer(url: string, use: (server: TestPostgres) => Promise<void>): Promise<void> {
    process.env.TEST_POSTGRES_URL = url;
    const starting = testPostgres();
    delete process.env.TEST_POSTGRES_URL;
    const other = await starting;
    try {
      await use(other);
    } finally {
      await other.stop();
    }
  }
});
