import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ask, Trader } from "../../prove/trader.ts";
import { until } from "../../testing/until.ts";
import { expectShown, readSteps, type Step } from "./doc_fixture.ts";
import { readPage } from "./page_fixture.ts";
import { openShell, type Shell } from "./shell_fixture.ts";
import { Deployment } from "../../prove/deployment.ts";
import { BackedUpDatabase } from "../../prove/restore/backed_up_database.ts";

const PAGE = "recovery.md";
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const RUNTIME = "Deno" in globalThis ? "run -A" : "";

describe("the page on recovery", () => {
  let database: BackedUpDatabase;
  let deployment: Deployment;
  let folder: string;
  let shell: Shell;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "gold-recovery-"));
    database = await BackedUpDatabase.start();
    deployment = await Deployment.start({
      servers: 1,
      traders: 1,
      lanes: 1,
      settings: { HEADS_FILE: headsFile() },
      startDatabase: (state) => database.createDatabase(state),
    });
    await deployment.sql`select gold.require_two_people()`;
    writeProgram(
      "gold",
      `#!/bin/sh\nexec '${process.execPath}' ${RUNTIME} '${REPOSITORY}/tools/run.mjs' gold "$@"\n`,
    );
    for (const name of ["pgbackrest", "pg_ctl"] as const) writeProgram(name, database.scriptOf(name));
    const [first, second] = deployment.operatorUrls;
    shell = openShell(folder, {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      HOME: process.env.HOME!,
      INIT_CWD: folder,
      GOLD_ENV: "sandbox",
      GOLD_KEYS: deployment.state.path("keys.json"),
      PEPPER_FILE: pepperFile(),
      CLIENT_ID: deployment.traders[0]!.clientId,
      DATABASE_URL: first,
      SECOND_DATABASE_URL: second,
    });
  });
  after(async () => {
    await shell?.run('pg_ctl stop --mode=immediate --pgdata="$NEW_DATA"').catch(() => {});
    await shell?.stop();
    await deployment?.stop();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const pepperFile = () => deployment.state.path("keys", "pepper");
  const headsFile = () => join(folder, "heads.json");
  const writeProgram = (name: string, text: string) =>
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  const fund = async () => {
    const [trader, { socket }] = [deployment.traders[0]!, deployment.servers[0]!];
    await trader.renewToken(socket);
    return (await ask(socket, trader.fund("1")))?.status;
  };
  const follow = async (steps: readonly Step[]) => {
    for (const { line, commands, shown = "" } of steps) {
      try {
        const came = await shell.run(commands);
        if (shown) expectShown(came, shown);
      } catch (error) {
        throw new Error(`docs/${PAGE}, line ${line}: ${(error as Error).message}`);
      }
    }
  };

  it("contains only commands that succeed in the printed order, and leads to a service that trades again", async () => {
    const page = await readPage(PAGE);
    const steps = readSteps(page);
    const [restoreLine, pepperLine] = ["Restore to a moment", "A lost pepper"].map((title) => {
      assertStringIncludes(page, `\n## ${title}\n`);
      return page.slice(0, page.indexOf(`\n## ${title}\n`)).split("\n").length;
    }) as [number, number];
    await follow(steps.filter(({ line }) => line < restoreLine));

    assertEquals(await fund(), 201);
    // pgBackRest notes the end of a backup in whole seconds, and restores only to a later second.
    await sleep(1000);
    const [at] = await deployment.sql`select clock_timestamp()::text as moment`;
    await sleep(10);
    assertEquals([await fund(), await fund()], [201, 201]);
    const name = deployment.traders[0]!.clientId;
    const [newest] = await deployment.sql`
      select event_sequence::text as number from gold.account where client_id = ${
      deployment.traders[0]!.client
    }`;
    await until(() => {
      const { items } = JSON.parse(readFileSync(headsFile(), "utf8")) as { items: Record<string, string>[] };
      return items.some(({ client_id, sequence }) => client_id === name && sequence === newest!.number);
    });
    await database.untilArchived();
    await database.lose();
    const { data, url } = database.second;
    await shell.run(
      `NEW_DATA='${data}' NEW_DATABASE='${url}' HEADS_FILE='${headsFile()}' MOMENT='${at!.moment}'`,
    );

    await follow(steps.filter(({ line }) => line > restoreLine && line < pepperLine));
    const losses = readFileSync(join(folder, "loss.txt"), "utf8");
    assert(losses.includes(name), losses);
    const [server] = deployment.servers;
    await server!.heal();
    assertEquals(await fund(), 201);

    rmSync(pepperFile());
    const [newPepper, ...newSecret] = steps.filter(({ line }) => line > pepperLine);
    await follow([newPepper!]);
    await server!.stop();
    await server!.start();
    await server!.heal();
    const { message } = await assertRejects(fund, Error);
    assertStringIncludes(message, "invalid_client");
    await follow(newSecret);
    const [, secret] = /"client_secret": ?"([^"]+)"/.exec(readFileSync(join(folder, "secret.json"), "utf8"))!;
    const { credentials, client } = deployment.traders[0]!;
    deployment.traders[0] = await Trader.of({ ...credentials, client_secret: secret! }, client);
    assertEquals(await fund(), 201);
  });
});
