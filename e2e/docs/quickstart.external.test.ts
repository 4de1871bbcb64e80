import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Reader, REPOSITORY } from "./page_fixture.ts";
import type { Shell } from "./shell_fixture.ts";

interface Reply {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** Follows the pages with what `npm start` starts with these options. */
function testQuickstart(...options: string[]): void {
  let reader: Reader;
  let shell: Shell;
  /** A folder with everything that the repository has. */
  let clone: string;

  before(async () => {
    reader = await Reader.arrive(...options);
    shell = await reader.openShell();
    clone = join(reader.folder, "clone");
    await mkdir(clone);
    for (const name of await readdir(REPOSITORY)) await symlink(join(REPOSITORY, name), join(clone, name));
    await shell.run("unset REPOSITORY");
  });
  after(() => reader?.leave());

  /** Runs lines that make one call with the page's own functions, and returns the reply. */
  async function reply(lines: string): Promise<Reply> {
    const [status = "", ...body] = (await shell.run(lines)).trimEnd().split("\n").reverse();
    return { status: Number(status), json: JSON.parse(body.reverse().join("\n")) as Record<string, unknown> };
  }
  const code = ({ status, json }: Reply) => `${status} ${json.code}`;

  for (const [run, page] of ["quickstart.md", "quickstart.md", "rotation.md"].entries()) {
    it(`works as printed, with the output that the page shows: ${page}, run ${run + 1}`, async () => {
      if (page === "quickstart.md") await shell.run(`cd '${clone}'`);
      assert((await reader.follow(shell, page)).length > 0);
    });
  }

  it("writes nothing into the clone, in which it is pasted twice", async () => {
    assertEquals((await readdir(clone)).sort(), (await readdir(REPOSITORY)).sort());
    const folders = (await readdir(reader.folder)).filter((name) => name.startsWith("gold_partner_"));
    assertEquals(folders.length, 2);
  });

  it("stops before the test event if another program has the receiver's port", async () => {
    const second = await reader.openShell();
    await second.run(`unset REPOSITORY; cd '${clone}'`);
    const stopped = () => reader.follow(second, "quickstart.md", "Send a test event");
    const { message } = await assertRejects(stopped, Error, "The receiver does not listen: stop here");
    assertMatch(message, /^The receiver cannot listen: 127\.0\.0\.1:\d+ is taken by another program/m);
  });

  it("rejects each rotated credential when the page says that it ends", async () => {
    const withOldKey = [
      "cp signing.key now.key; cp signing_old.key signing.key",
      `sign POST /v1/orders '{"quote_id":"qt_none"}'`,
      `post /v1/orders '{"quote_id":"qt_none"}' "$(new_key)" -H @signed.txt`,
      "mv now.key signing.key",
    ];
    assertEquals(code(await reply(withOldKey.join("\n"))), "401 signature_invalid");
    const token = (file: string) =>
      reply(`member client_secret ${file} | tr -d '\\n' > secret.txt
        call POST /oauth/token -d grant_type=client_credentials --data-urlencode "client_id=$CLIENT_ID" \\
          --data-urlencode client_secret@secret.txt`);
    const [older, newer] = [await token("partner.json"), await token("secret.json")];
    assertEquals([older.status, newer.status], [200, 200]);
    await shell.run(`gold secret rotate "$CLIENT_ID" --overlap 0 --yes --json > last_secret.json`);
    assertEquals((await token("last_secret.json")).status, 200);
    // Repeat, because the service checks only once a second for credentials that have ended.
    const codes = async () => [code(await token("partner.json")), code(await token("secret.json"))];
    const ended = ["401 invalid_client", "401 invalid_client"];
    const until = performance.now() + 30_000;
    while (`${await codes()}` !== `${ended}` && performance.now() < until) await shell.run("sleep 0.5");
    assertEquals(await codes(), ended);
  });
}

describe("the printed quickstart through the development gateway", () => testQuickstart());
describe("the printed quickstart through Envoy", () => testQuickstart("--envoy"));
