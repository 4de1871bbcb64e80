import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Started, startUntilReady } from "@gold-partner/dev/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { findFreePort } from "@gold-partner/dev/postgres";
import { until } from "../../tools/testing/until.ts";
import { Caller } from "../contract/caller_fixture.ts";
import { expectShown, readSteps } from "./doc_fixture.ts";
import { Office, type Row } from "./office_fixture.ts";
import { readPage } from "./page_fixture.ts";

const PAGE = "operator_day.md";

describe("the page on a day with two people", () => {
  let folder: string;
  let started: Started;
  let office: Office;
  let partner: Caller;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-day-"));
    started = await startUntilReady(folder, "--port", `${await findFreePort()}`, "--no-demo");
    const migration = await readFile(join(folder, "keys", "migration_database_url"), "utf8");
    office = await Office.at(migration.trim(), { keyFile: join(folder, "keys.json"), requestWithdrawal });
  });
  after(async () => {
    await office?.close();
    await started?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const withdraw = () => partner.call("createWithdrawal", { body: { amount_sar: 100_000 } });
  const requestWithdrawal = async () => assertEquals((await withdraw()).status, 201);
  const available = async () => {
    const { sar } = await partner.succeed("getBalances") as { sar: { available: number } };
    return sar.available;
  };
  /** Connects the new partner with the files that it made, and with the files that the operators sent. */
  const openPartner = async ({ client_secret, webhook_secret }: Row) =>
    await Caller.of({
      base_url: started.run.base_url,
      ca: join(folder, "pki", "ca.pem"),
      cert: office.path("tls.crt"),
      key: office.path("tls.key"),
      signing_key: office.path("key.pem"),
      client_id: office.client,
      client_secret: client_secret as string,
      webhook_secret: webhook_secret as string,
    });

  it("takes at most 30 commands and 900 characters", async () => {
    const page = await readPage(PAGE);
    const typed = readSteps(page.slice(page.indexOf("## 09:00"))).flatMap(({ commands }) =>
      commands.trimEnd().split("\n").map((line) => line.replace(/\s+#.*/, ""))
    );
    const characters = typed.join("").length;
    assertEquals([typed.length <= 30, characters <= 900], [true, true], `${typed.length}, ${characters}`);
  });

  it("contains only commands that succeed in the printed order, with the effects that it describes", async () => {
    let secrets: Row = {};
    /** Checks what the partner can do after the commands that begin with these words. */
    const effects: Readonly<Record<string, () => Promise<unknown>>> = {
      "gold record najd": async () => partner ??= await openPartner(secrets),
      "gold paid --batch": async () => assertEquals(await available(), 175_000),
      "gold suspend najd": async () => assertEquals((await withdraw()).status, 403),
    };
    for (const { line, commands, shown } of readSteps(await readPage(PAGE))) {
      let answer: Row = {};
      for (const [index, command] of commands.trimEnd().split("\n").entries()) {
        try {
          answer = await office.execute(command);
          if (command.includes("--secrets")) secrets = answer;
          await effects[command.split(" ").slice(0, 3).join(" ")]?.();
        } catch (error) {
          throw new Error(`docs/${PAGE}, line ${line + 1 + index}: ${command}\n${(error as Error).message}`);
        }
      }
      if (shown !== undefined) expectShown(JSON.stringify(answer), shown);
    }
    assertMatch(
      await readFile(office.path("payment.xml"), "utf8"),
      /<InstdAmt Ccy="SAR">100000\.00<[\s\S]*<IBAN>SA0380000000608010167519</,
    );
    // The partner is resumed as soon as the service has read the registry again.
    await until(async () => (await withdraw()).status === 201);
    const unsigned = await office.gold(
      `registry adopt --operator-keys ${office.path("operator_keys")}`.split(" "),
    );
    assertEquals(unsigned, {}, "two people have signed for every row");
  });
});
