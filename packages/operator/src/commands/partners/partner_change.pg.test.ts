import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const [OLD_IBAN, NEW_IBAN, OTHER_IBAN] = [
  "SA0380000000608010167519",
  "SA5680000000100000000001",
  "SA5010000000000123456789",
];

describe("gold partner set and approve-iban", () => {
  let operator: TestOperator;
  let id: string;
  before(async () => {
    operator = await testOperator();
    id = operator.service.partner.clientId;
  });
  after(() => operator.stop());

  const set = (...argv: string[]) => operator.gold("partner", "set", id, ...argv);
  const shown = () => operator.done("partner", "show", id);

  it("set changes only the given options", async () => {
    const before = await shown();
    const changed = await operator.done("partner", "set", id, "--rate", "100/s", "--burst", "300");
    assertEquals(changed, { client_id: id, rate_per_second: 100, burst: 300 });
    assertEquals(await shown(), { ...before, rate_per_second: 100, burst: 300 });
    await operator.done("partner", "set", id, "--max-grams", "50.5", "--webhook", "https://new.example/hook");
    await operator.done("partner", "set", id, "--ip", "192.0.2.1", "--ip", "2001:db8::/32");
    const after = await shown();
    assertEquals([after.maximum_grams, after.webhook_url], ["50.5", "https://new.example/hook"]);
    assertEquals((after.ips as string[]).toSorted(), ["192.0.2.1/32", "2001:db8::/32"]);
    assertEquals([after.iban, after.rate_per_second], [OLD_IBAN, 100]);
  });

  it("set sets and removes each limit on open quotes and daily records separately", async () => {
    const unlimited = { open_quotes: "unlimited", open_grams: "unlimited", daily_records: "unlimited" };
    const limitsOf = ({ open_quotes, open_grams, daily_records }: Awaited<ReturnType<typeof shown>>) => ({
      open_quotes,
      open_grams,
      daily_records,
    });
    assertEquals(limitsOf(await shown()), unlimited);
    const changed = await operator.done("partner set", id, "--open-quotes", "20", "--open-grams", "2500.5");
    assertEquals(changed, { client_id: id, open_quotes: 20, open_grams: "2500.5" });
    await operator.done("partner", "set", id, "--daily-records", "1000");
    assertEquals(limitsOf(await shown()), { open_quotes: 20, open_grams: "2500.5", daily_records: 1000 });
    await operator.done("partner", "set", id, "--open-grams", "unlimited");
    assertEquals(limitsOf(await shown()), { open_quotes: 20, open_grams: "unlimited", daily_records: 1000 });
    refused(await set("--open-quotes", "0"), 2, "--open-quotes");
    for (const grams of ["0", "1000000000.0001", "99999999999999999999"]) {
      refused(await set("--open-grams", grams), 2, "--open-grams");
    }
    const audited = await operator.done("audit", "list") as unknown as { items: { detail: unknown }[] };
    assert(JSON.stringify(audited).includes(String.raw`\"open_grams\":\"2500.5\"`), JSON.stringify(audited));
    refused(await set("--daily-records", "none"), 2, "--daily-records");
    await operator.done("partner", "set", id, "--open-quotes", "unlimited", "--daily-records", "unlimited");
    assertEquals(limitsOf(await shown()), unlimited);
    const rows = await operator.service.books.sql`select from gold.allowance`;
    assertEquals(rows.length, 0);
  });

  it("set limits the net position and the withdrawals of a day, and unlimited takes the limits away", async () => {
    const limits = async () => {
      const { net_grams, daily_withdrawals, daily_withdrawn } = await shown();
      return [net_grams, daily_withdrawals, daily_withdrawn];
    };
    const option = (value: (name: string) => string) =>
      ["net-grams", "daily-withdrawals", "daily-withdrawn"].flatMap((name) => [`--${name}`, value(name)]);
    const values: Record<string, string> = {
      "net-grams": "100.5",
      "daily-withdrawals": "3",
      "daily-withdrawn": "2500.25",
    };
    await operator.done("partner", "set", id, ...option((name) => values[name]!));
    assertEquals(await limits(), ["100.5", 3, "2500.25"]);
    refused(await set("--net-grams", "0"), 2, "--net-grams");
    refused(await set("--daily-withdrawn", "1.001"), 2, "--daily-withdrawn");
    await operator.done("partner", "set", id, "--daily-withdrawals", "4");
    assertEquals(await limits(), ["100.5", 4, "2500.25"]);
    await operator.done("partner", "set", id, ...option(() => "unlimited"));
    assertEquals(await limits(), ["unlimited", "unlimited", "unlimited"]);
  });

  it("set rejects missing options, an unknown partner and invalid values, and changes nothing", async () => {
    const before = await shown();
    refused(await set(), 2, "nothing to set");
    refused(await operator.gold("partner", "set", "sbx_nobody", "--burst", "1"), 1, "sbx_nobody");
    refused(await set("--rate", "0/s", "--burst", "5"), 2, "--rate");
    refused(await set("--ip", "x", "--burst", "5"), 2, "--ip");
    refused(await set("--webhook", "http://x", "--burst", "5"), 2, "--webhook");
    refused(await set("--webhook", "https://10.0.0.1/", "--burst", "5"), 2, "is not public (private)");
    refused(await set("--iban", "SA1", "--burst", "5"), 2, "--iban");
    refused(await set("--iban", OLD_IBAN, "--burst", "5"), 1, "registered IBAN already");
    assertEquals(await shown(), before);
  });

  it("set accepts a webhook host without an address, and prints a notice", async () => {
    const { out, err, exit } = await set("--webhook", "https://hooks.invalid/");
    assertEquals([exit, err.includes("DNS has no address for hooks.invalid")], [0, true]);
    assertEquals(/DNS has no address/.test(out), false);
    assertEquals((await shown()).webhook_url, "https://hooks.invalid/");
    const other = await set("--burst", "5");
    assertEquals([other.exit, other.err], [0, ""]);
  });

  it("set accepts a loopback webhook only if the deployment allows loopback receivers", async () => {
    const { sql } = operator.service.books;
    const webhook = async () => (await shown()).webhook_url;
    await operator.done("partner", "set", id, "--webhook", "https://localhost:9999/hooks");
    assertEquals(await webhook(), "https://localhost:9999/hooks");
    await sql`update gold.deployment set loopback_receivers = false`;
    refused(await set("--webhook", "https://127.0.0.1/"), 2, "is not public (loopback)");
    refused(await set("--webhook", "https://localhost:9999/"), 2, "The webhook's port is 9999");
    await sql`update gold.deployment set loopback_receivers = true`;
    assertEquals(await webhook(), "https://localhost:9999/hooks");
  });

  it("set and create reject a rate above a quarter of --flood, with the reason", async () => {
    await operator.done("partner", "set", id, "--rate", "5000/s");
    const run = await set("--rate", "5001/s");
    refused(run, 1, "a quarter of the proxy's limit of 20000/s");
    assertStringIncludes(run.problem.detail, "at most 5000/s");
    assertEquals((await shown()).rate_per_second, 5000);
    const jwk = JSON.stringify(operator.service.partner.signingKey.publicJwk);
    const created = await operator.gold(
      ...[
        "partner",
        "create",
        "--name",
        "B",
        "--iban",
        OLD_IBAN,
        "--ip",
        "127.0.0.1",
        "--webhook",
        "https://b.example",
      ],
      ...["--signing-key", await operator.write("key.jwk", jwk), "--rate", "5001/s"],
    );
    refused(created, 1, "more than a quarter");
  });

  it("set --iban waits for another login's approval, and show prints the requester", async () => {
    const proposed = await operator.done("partner", "set", id, "--iban", NEW_IBAN);
    assertEquals(proposed, { client_id: id, pending_iban: NEW_IBAN });
    const waiting = await shown();
    assertEquals([waiting.iban, waiting.pending_iban, waiting.pending_iban_by], [
      OLD_IBAN,
      NEW_IBAN,
      operator.login,
    ]);
    assertEquals(waiting.payouts_held_until, null);
    refused(
      await operator.gold("partner", "approve-iban", id, "--yes"),
      1,
      "you requested this IBAN, so another login has to approve it",
    );
    assertEquals((await shown()).iban, OLD_IBAN);
    const approved = await operator.colleague.done("partner", "approve-iban", id);
    assertEquals([approved.client_id, approved.iban], [id, NEW_IBAN]);
    const hours = (Date.parse(approved.payouts_held_until as string) - Date.now()) / 3_600_000;
    assert(hours > 23.9 && hours < 24.1, `${hours}`);
    const after = await shown();
    assertEquals(
      [after.iban, after.pending_iban, after.pending_iban_by, after.payouts_held_until],
      [NEW_IBAN, null, null, approved.payouts_held_until],
    );
    refused(
      await operator.colleague.gold("partner", "approve-iban", id, "--yes"),
      1,
      "No new IBAN was requested",
    );
    refused(await operator.gold("partner", "approve-iban", "sbx_nobody", "--yes"), 1, "sbx_nobody");
  });

  it("set --iban with the registered IBAN cancels the pending IBAN once, and audits the change", async () => {
    await operator.done("partner", "set", id, "--iban", OTHER_IBAN);
    const withdrawn = await operator.colleague.done("partner", "set", id, "--iban", NEW_IBAN);
    assertEquals(withdrawn, { client_id: id, pending_iban: null });
    const after = await shown();
    assertEquals([after.iban, after.pending_iban, after.pending_iban_by, after.pending_iban_at], [
      NEW_IBAN,
      null,
      null,
      null,
    ]);
    const [note] = itemsOf(await operator.done("audit", "list", "--subject", id));
    assertEquals([note!.login, note!.action, JSON.parse(note!.detail as string)], [
      operator.colleague.login,
      "partner.withdraw_iban",
      { iban: OTHER_IBAN, asked_by: operator.login, mode: "single_operator" },
    ]);
    refused(await operator.colleague.gold("partner", "approve-iban", id, "--yes"), 1, "No new IBAN");
    refused(await set("--iban", NEW_IBAN), 1, "registered IBAN already");
  });

  it("approve-iban shows both IBANs and asks, and approves only the IBAN that it showed", async () => {
    await operator.done("partner", "set", id, "--iban", OLD_IBAN);
    const approve = (ask?: (question: string) => Promise<boolean>) =>
      runGold(["partner", "approve-iban", id], {
        env: operator.colleague.env,
        ...(ask ? { ask } : {}),
      });
    refused(await approve(), 2, "--yes");
    const questions: string[] = [];
    refused(
      await approve((question) => (questions.push(question), Promise.resolve(false))),
      1,
      "Nothing was done",
    );
    for (const part of [NEW_IBAN, OLD_IBAN, operator.login]) assertStringIncludes(questions[0]!, part);
    const meanwhile = await approve(async () => {
      await operator.done("partner", "set", id, "--iban", OTHER_IBAN);
      return true;
    });
    refused(meanwhile, 1, `another IBAN was requested meanwhile: ${OTHER_IBAN}`);
    assertEquals((await shown()).iban, NEW_IBAN);
  });
});
