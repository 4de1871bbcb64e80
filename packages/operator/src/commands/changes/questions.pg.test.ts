import { match } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type Run, runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "../money/withdrawal_fixture.ts";

const UUID = "019a9b3c-0000-7000-8000-000000000001";
const IBAN = "SA0380000000608010167519";
const NEW_IBAN = "SA4420000001234567891234";

describe("a question of gold", () => {
  let operator: TestOperator;
  let id: string;
  let partner: string;
  before(async () => {
    operator = await testOperator();
    id = operator.service.partner.clientId;
    partner = `Test Bank \\(${id}\\)`;
    await setPayoutAccount(operator);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":1000}' });
  });
  after(() => operator?.stop());

  /** Runs the command on a terminal, where the person gives this answer. */
  const answer = (yes: boolean, ...argv: string[]): Promise<Run> =>
    runGold(argv, { env: { ...operator.env, MIGRATION_DATABASE_URL: operator.service.books.url }, yes });
  /** Declines the command's only question, and returns it. Nothing may have been written. */
  async function declined(...argv: string[]): Promise<string> {
    const count = async () =>
      (await operator.service.books.sql`select count(*)::int as notes from gold.audit`)[0]!.notes;
    const notes = await count();
    const run = await answer(false, ...argv);
    refused(run, 1, "Nothing was done.");
    assertEquals([run.questions.length, await count()], [1, notes]);
    return run.questions[0]!;
  }
  async function recordDeposit(reference: string): Promise<string> {
    const { deposit_id } = await operator.done(
      ...["deposit", "record", id, "--amount", "70.5", "--bank-ref", reference],
    );
    return deposit_id as string;
  }

  it("is not asked about what does not exist", async () => {
    const commands = [
      ["partner", "suspend", "nobody"],
      ["partner", "approve-iban", "nobody"],
      ["vault", "remove", "NO-BAR"],
      ["deposit", "reverse", `dep_${UUID}`],
      ["withdrawal", "approve", `wd_${UUID}`],
      ["withdrawal", "reject", `wd_${UUID}`],
      ["withdrawal", "returned", `wd_${UUID}`],
      ["operator", "remove", "nobody"],
      ["operator", "key", "end", "SHA256:none"],
      ["proposal", "approve", UUID],
    ];
    for (const argv of commands) {
      const run = await answer(true, ...argv);
      refused(run, 1, argv.at(-1)!);
      assertEquals(run.questions, [], argv.join(" "));
    }
  });

  it("needs --yes without a terminal, except about the approval of a withdrawal", async () => {
    const withdrawal = await askWithdrawal(operator, 100n);
    const deposit = await recordDeposit("WITHOUT-TERMINAL");
    for (
      const argv of [
        ["partner", "suspend", id],
        ["deposit", "reverse", deposit],
        ["withdrawal", "reject", withdrawal],
      ]
    ) {
      refused(await operator.gold(...argv), 2, "To confirm, run the command again with --yes.");
    }
    assertEquals((await operator.gold("withdrawal", "approve", withdrawal)).exit, 0);
    await operator.done("withdrawal", "reject", withdrawal);
  });

  it("about a withdrawal names the partner, the amount, the IBAN and the way back, as its result does", async () => {
    const withdrawal = await askWithdrawal(operator, 12_345n);
    const named = `${withdrawal}: 123\\.45 SAR of ${partner} to ${IBAN}\\?`;
    const moved = {
      withdrawal_id: withdrawal,
      client_id: id,
      name: "Test Bank",
      amount_sar: "123.45",
      iban: IBAN,
    };
    match(
      await declined("withdrawal", "approve", withdrawal),
      new RegExp(`^Approve ${named} .*\`gold withdrawal reject ${withdrawal}\` gives the money back`),
    );
    const run = await answer(true, "withdrawal", "approve", withdrawal);
    assertEquals(run.exit, 0, run.err);
    match(
      run.out,
      new RegExp(`gold withdrawal reject ${withdrawal}[^]*amount_sar +123\\.45\\niban +${IBAN}\\n`),
    );
    match(
      await declined("withdrawal", "reject", withdrawal),
      new RegExp(`^Reject ${named} .* the partner must make a new request\\.$`),
    );
    await operator.colleague.done("withdrawal", "submit", "--out", operator.path("paid.xml"));
    assertEquals(await operator.done("withdrawal", "paid", withdrawal), { ...moved, status: "paid" });
    match(
      await declined("withdrawal", "returned", withdrawal),
      new RegExp(`^Did the bank send back ${named} .* no command takes it back\\.$`),
    );
    assertEquals(await operator.done("withdrawal", "returned", withdrawal), { ...moved, status: "returned" });
    const other = await askWithdrawal(operator, 12_345n);
    assertEquals(await operator.done("withdrawal", "approve", other), {
      ...{ ...moved, withdrawal_id: other },
      status: "approved",
    });
    assertEquals((await operator.done("withdrawal", "reject", other)).iban, IBAN);
  });

  it("about a deposit names the partner, the amount and the way back, as its result does", async () => {
    const deposit = await recordDeposit("BANK-1");
    const named = `${deposit}: 70\\.5 SAR for ${partner}, bank reference BANK-1\\?`;
    const moved = {
      ...{ deposit_id: deposit, client_id: id, name: "Test Bank", amount_sar: "70.5" },
      bank_reference: "BANK-1",
    };
    match(
      await declined("deposit", "reverse", deposit),
      new RegExp(`^Reverse ${named} To book it again, record it again with \`gold deposit record\`\\.$`),
    );
    const approved = await operator.colleague.gold("deposit", "approve", deposit);
    match(
      approved.out,
      new RegExp(`gold deposit reverse ${deposit}[^]*name +Test Bank\\namount_sar +70\\.5\\n`),
    );
    match(
      await declined("deposit", "reverse", deposit),
      new RegExp(`^Reverse ${named} Its amount is taken back from the partner's account\\. To book it again`),
    );
    assertEquals(await operator.done("deposit", "reverse", deposit), { ...moved, status: "reversed" });
  });

  it("about a partner, a bar and a login says which one", async () => {
    match(
      await declined("partner", "suspend", id),
      new RegExp(`^Suspend ${partner} now\\? To end the suspension, run \`gold partner resume ${id}\`\\.$`),
    );
    await operator.done("vault add --serial BAR-1 --gross 1000 --fineness 999.9 --vault Riyadh");
    match(
      await declined("vault", "remove", "BAR-1"),
      /^Remove the bar BAR-1 of unknown, 999\.9 g fine, from the vault Riyadh\? No bar can have this serial again\.$/,
    );
    match(
      await declined("operator", "remove", operator.colleague.login),
      new RegExp(`^Remove the login ${operator.colleague.login} with the roles treasury, credentials, .*\\?`),
    );
  });

  it("is asked once before a webhook, a range, a price, a limit of the market or its hours change", async () => {
    for (
      const [command, words] of [
        [["partner", "set", id, "--webhook", "https://bank.example/new"], "Webhooks go to the new URL\\."],
        [["partner", "set", id, "--ip", "203.0.113.0/24"], "is added: calls are accepted from there, too\\."],
        [["price", "set", "--mid", "321"], "from 320 to 321 SAR per gram\\."],
        [["price", "set", "--open", "never"], "The market closes"],
        [["market", "set", "--band", "5", "--band-hour", "5"], "the price band change at once"],
        [["market", "set", "--breaker", "off"], "the circuit breaker"],
        [
          ["endpoint", "set", id, "1", "--url", "https://bank.example/new"],
          "go to https://bank\\.example/new",
        ],
      ] as const
    ) match(await declined(...command), new RegExp(`^Make this change now\\? .*${words}`));
  });

  it("about an IBAN names the registered IBAN and how to go back to it, as the request does", async () => {
    const pending = await operator.gold("partner", "set", id, "--iban", NEW_IBAN);
    match(
      pending.out,
      new RegExp(
        `the IBAN ${NEW_IBAN} of Test Bank: .* go to ${IBAN}\\. .* \`gold partner set ${id} --iban ${IBAN}\``,
      ),
    );
    match(
      await declined("partner", "approve-iban", id),
      new RegExp(`Test Bank is paid to ${NEW_IBAN} instead of ${IBAN}\\. .* --iban ${IBAN}\``),
    );
    const withdrawn = await operator.gold("partner", "set", id, "--iban", IBAN);
    match(withdrawn.out, new RegExp(`Withdrawals of Test Bank go to ${IBAN}, as before`));
  });
});
