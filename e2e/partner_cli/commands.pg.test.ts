import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { newTestKey, testCertificate, type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import { verifyWebhook } from "@gold-partner/client";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Screen, widthOf } from "@gold-partner/command-line";
import { until } from "../../tools/testing/until.ts";
import { lastDays } from "../contract/calls_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { openReceiver, type Run, runCli, writeCredentials } from "./cli_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

/**
 * How many events each trigger causes. An order and a withdrawal, for example, also cause the event of a
 * funding.
 */
const EVENTS = {
  "funding.completed": 1,
  "order.executed": 2,
  "withdrawal.created": 2,
  "withdrawal.approved": 3,
  "withdrawal.submitted": 4,
  "withdrawal.paid": 5,
  "withdrawal.rejected": 3,
  "withdrawal.returned": 5,
  "withdrawal.cancelled": 3,
  "funding.reversed": 2,
  "credential.added": 1,
  "credential.expiring": 3,
  "credential.ended": 1,
  "settlement.changed": 1,
  "webhook_endpoint.changed": 1,
  "day.closed": 1,
  "webhook.test": 1,
};
const TYPES = Object.keys(EVENTS);

describe("gold-partner, against the service", () => {
  let stack: Stack;
  const folder = temporaryFolder("gold-commands");
  let env: { GOLD_CREDENTIALS: string };

  before(async () => {
    stack = await Stack.open({ fresh: true });
    env = { GOLD_CREDENTIALS: await writeCredentials(folder, stack.partner.credentials) };
  });
  after(() => stack?.close());

  const run = (words: string) => runCli(words.split(" "), { env });
  async function succeed(words: string): Promise<string> {
    const { exit, out, err } = await run(words);
    assertEquals([exit, err], [0, ""]);
    return out;
  }
  const json = async (words: string) => JSON.parse(await succeed(`${words} --json`));
  const codeOf = ({ exit, out, err }: Run) => [exit, out, (JSON.parse(err) as { code: string }).code];

  it("triggers each event and shows it", async () => {
    for (const [index, type] of TYPES.entries()) {
      const event = await json(`trigger ${type}`);
      assertEquals(event.type, type);
      assert(event.sequence > index);
    }
    assertMatch(await succeed("trigger webhook.test"), /^sequence +type .*\n\d+ +webhook\.test +evt_/);
    assertEquals(codeOf(await run("trigger order.imagined")), [2, "", "usage"]);
    const live = await writeCredentials(folder, stack.partner.credentials, { client_id: "live_1" });
    const refused = await runCli(["trigger", "order.executed", "--credentials", live]);
    assertEquals(codeOf(refused), [1, "", "sandbox_only"]);
  });

  it("triggers an event of an amount or a weight, and funds what it costs", async () => {
    const { credentials } = await stack.onboard("Amount Bank");
    const file = await writeCredentials(folder, credentials);
    const trigger = async (words: string) => (await json(`trigger ${words} --credentials ${file}`)).data;
    assertEquals((await trigger("funding.completed --amount 12.5")).funding.amount_sar, 12.5);
    assertEquals((await trigger("order.executed --grams 7.25")).order.gold_grams, 7.25);
    // The weight is rounded so that it costs at most the amount.
    const { order } = await trigger("order.executed --amount 5000");
    assert(order.total_sar > 4999 && order.total_sar <= 5000, `${order.total_sar}`);
    assertEquals((await trigger("withdrawal.paid --amount 20000.01")).withdrawal.amount_sar, 20000.01);
    assertEquals((await trigger("funding.reversed --amount 3")).funding.amount_sar, 3);
  });

  it("trades, and prints the replies with numbers as the service writes them", async () => {
    const quote = await json("quote buy --grams 0.25 --reference INVOICE-7 --account-label Desk");
    assertEquals([quote.side, quote.gold_grams, quote.reference], ["buy", 0.25, "INVOICE-7"]);
    const order = await json(`order ${quote.quote_id} --reference INVOICE-8 --key cli-order`);
    assertEquals([order.reference, order.account_label], ["INVOICE-8", "Desk"]);
    assertEquals(await json(`order ${quote.quote_id} --reference INVOICE-8 --key cli-order`), order);
    const again = await run(`order ${quote.quote_id}`);
    assertEquals(codeOf(again), [1, "", "quote_already_executed"]);
    assertMatch(again.err, /"request_id":"req_.*"idempotency_key":".*"exit_code":1}$/);

    assertMatch(await succeed("quote sell --amount 5"), /\ntotal_sar +5(\.\d+)? SAR\n/);
    const withdrawal = await json("withdraw --amount 2.5 --reference INVOICE-9 --account-label Desk");
    assertEquals([withdrawal.amount_sar, withdrawal.reference], [2.5, "INVOICE-9"]);
    assertEquals(withdrawal.account_label, "Desk");
    const pending = await json("withdraw --amount 1");
    const cancelled = await json(`cancel wd_…${pending.withdrawal_id.slice(-8)}`);
    assertEquals([cancelled.withdrawal_id, cancelled.status], [pending.withdrawal_id, "cancelled"]);
    assertMatch((await run(`order qt_…${quote.quote_id.slice(-8)}`)).err, /give the whole quote_id/);
    assertMatch(await succeed("events --limit 10"), / order\.executed .* INVOICE-8 +Desk(\n|$)/);
    assertEquals((await json("prices")).market, "open");
    const { gold: { reserves, ...gold }, ...balances } = await json("balances");
    assertEquals({ ...balances, gold, as_of: "" }, { ...withdrawal.balances, as_of: "" });
    const list = { reserves_list_id: "lst_2", fine_grams: 12440.1558 };
    assertEquals(reserves, { ...list, share: "0.000028134695" });
    const past = await json(`balances --at ${order.balances.as_of}`);
    assertEquals(past.gold.grams, order.balances.gold.grams);
    assertEquals({ ...past.gold.reserves, share: "" }, { ...list, share: "" });
    assertMatch(
      await succeed("balances"),
      /^sar\.available +[0-9.]+ SAR\nsar\.held +5\.5 SAR\ngold\.grams +0\.35 g\ngold\.reserves\.reserves_list_id +lst_2\n/,
    );
  });

  it("follows the prices in columns with names, units and one zone, and as JSON", async () => {
    const follow = async (...words: string[]) => {
      const ending = new AbortController();
      const [lines, screen]: [string[], Screen] = [[], { columns: 80, hasColor: false, now: new Date() }];
      const out = (text: string) => void (lines.push(text) > 1 && ending.abort());
      const stops = { out, untilStopped: () => ending.signal };
      const { exit } = await runCli(["prices", "--follow", ...words], { env, screen, ...stops });
      assertEquals(exit, 0);
      return lines;
    };
    const [head, first] = await follow();
    assertEquals(head, `as_of${" ".repeat(24)}buy SAR/g  sell SAR/g  market`);
    assertMatch(first!, /^\d\d \w+ \d{4} \d\d:\d\d:\d\d \+03:00 {3,}\d+\.\d{4} {3,}\d+\.\d{4} {2}open$/);
    const [json] = await follow("--json");
    assertEquals(Object.keys(JSON.parse(json!)), ["as_of", "buy_price", "sell_price", "market"]);
  });

  it("requests changes, and shows what became of them", async () => {
    const pem = `${folder}/next_key.pem`;
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(pem, privateKey.export({ type: "pkcs8", format: "pem" }));
    const change = await json(`change --signing-key ${pem}`);
    assertEquals(Object.keys(change.signing_key), ["crv", "kty", "x", "y"]);
    assertEquals(await json(`changes --id ${change.change_id}`), change);
    const screen = { columns: 80, hasColor: false, now: new Date() };
    const [, shown] = /^(chg_…[0-9a-f]{8}) /m.exec((await runCli(["changes"], { env, screen })).out)!;
    for (const end of [shown!, shown!.slice(-8), `chg_${shown!.slice(-4)}`]) {
      assertEquals(await json(`changes --id ${end}`), change);
    }
    const none = await run("changes --id chg_…000000000000");
    assertEquals(codeOf(none), [2, "", "usage"]);
    assertMatch(none.err, /none of your newest 1 ids ends with 0{12}\. Give the whole id/);
    const endpoint = await json("change --webhook https://bank.example/orders --type order.executed");
    assertEquals(endpoint.webhook_endpoint, {
      types: ["order.executed"],
      url: "https://bank.example/orders",
    });
    assertEquals((await json("changes")).items, [endpoint, change]);
    assertMatch(
      await succeed("changes"),
      /^change_id +kind +status .*\nchg_\S+ +webhook_endpoint +requested /,
    );
    assertEquals(codeOf(await run("change")), [2, "", "usage"]);
    assertEquals(codeOf(await run("change --ip 198.51.100.0/24 --type order.executed")), [2, "", "usage"]);
    assertEquals(codeOf(await run("change --ip 10.0.0.0/8")), [1, "", "invalid_request"]);
  });

  it("shows the newest events, and those after a number", async () => {
    const all = (await json("events --limit 500")).items as { sequence: number }[];
    assertEquals(all.map(({ sequence }) => sequence), all.map((_, index) => index + 1));
    assertEquals(
      (await json("events --limit 3")).items.map(({ sequence }: { sequence: number }) => sequence),
      [
        ...[all.length - 2, all.length - 1, all.length],
      ],
    );
    assertEquals((await json("events --after 2 --limit 1")).items[0].sequence, 3);
    assertEquals((await succeed("events --after 0 --limit 2")).split("\n").length, 3);
  });

  it("notes an event about a signing key that the credentials file does not know", async () => {
    const { credentials } = await stack.onboard("Noted Bank");
    const { publicJwk, thumbprint } = await newTestKey();
    const key = join(folder, "key.jwk");
    await writeFile(key, JSON.stringify(publicJwk));
    await stack.operator(`signing-key add ${credentials.client_id}`, key);
    const linesOf = async (known: readonly string[]) => {
      const file = await writeCredentials(folder, credentials, { known_thumbprints: known });
      const { exit, out } = await runCli(["events", "--credentials", file]);
      assertEquals(exit, 0);
      return out.split("\n");
    };
    const noted = (await linesOf([])).filter((line) => line.includes("foreign_credential"));
    assertEquals(noted.length, 1);
    assertMatch(noted[0]!, new RegExp(` credential\\.added .* signing_key ${thumbprint} by operator_one$`));
    const [heads, ...rest] = await linesOf([thumbprint]);
    assert(!heads!.includes("note") && rest.length > 6 && !rest.join().includes("foreign_credential"));
  });

  it("shows a statement as JSON, CSV and a table", async () => {
    const { from, to } = lastDays();
    const { postings } = await json(`statement --from ${from} --to ${to}`);
    assert(postings.length > 4);
    const csv = await succeed(`statement --from ${from} --to ${to} --csv`);
    assertMatch(csv, /^[a-z_,]+\r\n/);
    const text = await succeed(`statement --from ${from} --to ${to}`);
    assertMatch(text, /\nopening_balance\.available_sar +0 SAR\n[\s\S]*\npostings:\nposted_at +id +type/);
  });

  it("writes no line that is wider than the terminal", async () => {
    const { from, to } = lastDays();
    for (const columns of [80, 120]) {
      const screen = { columns, hasColor: false, now: new Date() };
      for (
        const words of [
          ...["balances", "events", `statement --from ${from} --to ${to}`, "audit"],
          ...["trigger withdrawal.paid", "quote buy --grams 1"],
        ]
      ) {
        const { exit, out } = await runCli(words.split(" "), { env, screen });
        assertEquals([exit, out.split("\n").filter((line) => widthOf(line) > columns)], [0, []], words);
        assert(!/\d{4}-\d{2}-\d{2}T/.test(out), out);
      }
      const { err } = await runCli(["quote", "buy", "--grams", "999999"], { env, errorScreen: screen });
      assertMatch(err, /^gold-partner: .*\n[^]*\n\(limit_exceeded, exit code 1\)\nrequest_id req_\S+\nid/);
      assertEquals(err.split("\n").filter((line) => widthOf(line) > columns), []);
    }
  });

  it("prints an exchange that it cannot record: in sentences and a line for the file, and as JSON", async () => {
    const screen = { columns: 200, hasColor: false, now: new Date() };
    const argv = ["withdraw", "--amount", "1", "--record", "/dev/full"];
    const shown = await runCli(argv, { env, errorScreen: screen });
    assertEquals(shown.exit, 0);
    assertMatch(
      shown.err,
      /^gold-partner: The exchange was not recorded: .+\. Add the next line to \/dev\/full\.\n\{/,
    );
    const [recorded] = shown.err.split("\n").slice(-1);
    const { exchange } = JSON.parse((await runCli(argv, { env })).err);
    assertEquals(Object.keys(JSON.parse(recorded!)), Object.keys(exchange));
  });

  it("reports wrong usage with exit code 2 and a refusal with 1", async () => {
    for (
      const words of [
        ...["quote hold --grams 1", "quote buy", "quote buy --grams 1 --amount 1", "quote buy --grams one"],
        ...["order", "withdraw", "events --limit 0", "events --after x", "statement --from 2026-01-01"],
        ...["balances --credentials none.json", "listen --forward ftp://localhost", "check-receiver here"],
      ]
    ) {
      const { exit, out, err } = await run(words);
      assertEquals([exit, out, (JSON.parse(err) as { exit_code: number }).exit_code], [2, "", 2], words);
    }
    assertEquals(codeOf(await run("quote buy --grams 999999")), [1, "", "limit_exceeded"]);
    const { detail } = JSON.parse((await run("quote buy --grams 0")).err) as { detail: string };
    assertMatch(detail, /^[^#]+ 0[^#]+ \(#\/gold_grams\)$/);
    assertEquals(detail.match(/quantity is 0/g)?.length, 1, detail);
  });

  describe("listen", () => {
    let registered: TestReceiver;
    let local: TestReceiver;
    before(async () => {
      registered = await openReceiver(stack);
      local = await testReceiver();
    });
    after(async () => {
      await registered?.stop();
      await local?.stop();
    });

    async function listen(more: readonly string[], act: (lines: string[]) => Promise<void>): Promise<Run> {
      const ca = join(folder, "ca.pem");
      await writeFile(ca, testCertificate().ca);
      const ending = new AbortController();
      const [lines, started]: [string[], string[]] = [[], []];
      const running = runCli(["listen", "--forward", local.url, "--ca", ca, "--json", ...more], {
        env,
        out: (text) => lines.push(text),
        err: (text) => started.push(text),
        untilStopped: () => ending.signal,
      });
      try {
        await until(() => started.length > 0);
        await act(lines);
      } finally {
        ending.abort();
      }
      return { ...await running, err: started.join("\n") };
    }

    /** A body without the member that depends on the endpoint: `listen` is one of its own. */
    const shared = (body: string) =>
      body.replace(/,"previous_sequence":(?:\d+|null)(?=,"client_id":"\w+"\}$)/, "");

    const previousOf = (deliveries: TestReceiver["deliveries"]) =>
      deliveries.map(({ body }) => JSON.parse(body).previous_sequence);

    it("delivers each new event with the bytes and a signature as the service sends it", async () => {
      const { exit, err } = await listen([], async () => {
        for (const type of TYPES) await succeed(`trigger ${type}`);
        await local.awaitDeliveries(Object.values(EVENTS).reduce((sum, count) => sum + count));
      });
      assertEquals(exit, 0);
      assertMatch(err, /^Delivering the events after \d+ to https:/);
      const { webhook_secret } = stack.partner.credentials;
      for (const delivery of local.deliveries) {
        const { event } = verifyWebhook(delivery.body, delivery.headers, webhook_secret);
        const sent = await until(() => registered.deliveries.find(({ id }) => id === event.id));
        assertEquals(shared(delivery.body), shared(sent!.body));
        assertEquals(Object.keys(delivery.headers).filter((name) => name.startsWith("webhook-")).sort(), [
          ...["webhook-id", "webhook-signature", "webhook-timestamp"],
        ]);
      }
      const sequences = local.deliveries.map(({ body }) => JSON.parse(body).sequence);
      assertEquals(sequences, sequences.map((_, index) => sequences[0] + index));
      assertEquals(previousOf(local.deliveries), [null, ...sequences.slice(0, -1)]);
    });

    it("delivers only events of the types of --type, and goes on after the others", async () => {
      const { length } = local.deliveries;
      const patterns = ["--type", "withdrawal.*", "--type", "webhook.test"];
      const { exit, err } = await listen(patterns, async (lines) => {
        for (const type of ["withdrawal.approved", "order.executed", "webhook.test"]) {
          await succeed(`trigger ${type}`);
        }
        await until(() => lines.length >= 3);
        const types = ["withdrawal.created", "withdrawal.approved", "webhook.test"];
        assertEquals(lines.map((line) => JSON.parse(line).type), types);
        const forwarded = local.deliveries.slice(length);
        assertEquals(forwarded.map(({ body }) => JSON.parse(body).type), types);
        const sequences = forwarded.map(({ body }) => JSON.parse(body).sequence);
        assertEquals(previousOf(forwarded), [null, ...sequences.slice(0, -1)]);
      });
      assertEquals(exit, 0);
      assertMatch(err, /^Delivering the events of type withdrawal\.\*, webhook\.test after \d+ to https:/);
    });

    it("starts after a number, and reports an event that the receiver refuses", async () => {
      local.answer(500);
      let seen: unknown[] = [];
      await listen(["--after", "0"], async (lines) => {
        await until(() => lines.length >= 2);
        seen = lines.slice(0, 2).map((line) => JSON.parse(line));
      });
      assertEquals(
        (seen as { sequence: number; http_status: number }[]).map(({ sequence, http_status }) => [
          sequence,
          http_status,
        ]),
        [[1, 500], [2, 500]],
      );
    });
  });
});
