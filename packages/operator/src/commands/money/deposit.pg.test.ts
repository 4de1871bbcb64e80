import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal } from "./withdrawal_fixture.ts";

describe("gold deposit", () => {
  let operator: TestOperator;
  let id: string;
  before(async () => {
    operator = await testOperator();
    id = operator.service.partner.clientId;
  });
  after(() => operator.stop());

  const record = (amount: string, reference: string) =>
    operator.gold("deposit", "record", id, `--amount=${amount}`, "--bank-ref", reference, "--json");
  const recorded = async (amount: string, reference: string) =>
    (await record(amount, reference)).json.deposit_id as string;
  const available = async () => (await operator.done("partner", "show", id)).sar_available;
  const listed = async (deposit: string, ...more: string[]) =>
    itemsOf(await operator.done("deposit", "list", ...more)).find(({ deposit_id }) => deposit_id === deposit);

  it("record and approve need two logins, and only the approval credits the money", async () => {
    const { exit, json } = await record("1000.50", "  BANK-1  ");
    assertEquals([exit, json.client_id, json.amount_sar, json.bank_reference, json.status], [
      0,
      id,
      "1000.5",
      "BANK-1",
      "recorded",
    ]);
    const deposit = json.deposit_id as string;
    assertMatch(deposit, /^dep_[0-9a-f-]{36}$/);
    assertEquals(await available(), "0");
    refused(
      await operator.gold("deposit", "approve", deposit),
      1,
      "you recorded this deposit, so another login has to approve it",
    );
    assertEquals(await available(), "0");
    const approved = await operator.colleague.done("deposit", "approve", deposit);
    assertEquals([approved.status, approved.funding_id], ["approved", deposit.replace("dep_", "fnd_")]);
    assertEquals(await available(), "1000.5");
    refused(await operator.colleague.gold("deposit", "approve", deposit), 1, "approved already");
    const row = await listed(deposit);
    assertEquals([row!.recorded_by, row!.approved_by, row!.reversed_by], [
      operator.login,
      operator.colleague.login,
      null,
    ]);
    assertEquals((await operator.done("ledger", "verify")).clean, true);
  });

  it("record rejects the bank reference of an unreversed deposit, and names that deposit", async () => {
    const deposit = await recorded("1", "BANK-2");
    refused(await record("1", "BANK-2"), 1, deposit);
    await operator.done("deposit", "reverse", deposit);
    assertEquals((await record("1", "BANK-2")).exit, 0);
  });

  it("record rejects an invalid amount, an invalid reference and an unknown partner", async () => {
    for (const amount of ["0", "-1", "0.001", "1e400", "many"]) {
      refused(await record(amount, "X"), 2, "--amount");
    }
    refused(await record("1000000000000", "X"), 2, "--amount");
    for (const reference of ["", "   ", "a\nb", "a\u200bb", "x".repeat(141)]) {
      refused(await record("1", reference), 2, "--bank-ref");
    }
    assertEquals((await record("1", `é${"x".repeat(139)}`)).exit, 0);
    refused(await operator.gold("deposit record sbx_nobody --amount 1 --bank-ref Y"), 1, "sbx_nobody");
  });

  it("approve and reverse reject malformed and unknown deposit ids", async () => {
    for (
      const other of [
        "dep_1",
        "fnd_019a9b3c-0000-7000-8000-000000000001",
        "dep_019A9B3C-0000-7000-8000-000000000001",
      ]
    ) {
      refused(await operator.gold("deposit", "approve", other), 1, other);
    }
    const unknown = "dep_019a9b3c-0000-7000-8000-000000000001";
    refused(await operator.gold("deposit", "approve", unknown), 1, unknown);
    refused(await operator.gold("deposit", "reverse", unknown, "--yes"), 1, unknown);
  });

  it("reverse takes the money back once after a confirmation, and refuses if it was spent", async () => {
    const deposit = await recorded("70", "BANK-3");
    await operator.colleague.done("deposit", "approve", deposit);
    const before = await available();
    refused(await operator.gold("deposit", "reverse", deposit), 2, "--yes");
    assertEquals(await available(), before);
    assertEquals((await operator.done("deposit", "reverse", deposit)).status, "reversed");
    refused(await operator.gold("deposit", "reverse", deposit, "--yes"), 1, "reversed already");
    refused(await operator.colleague.gold("deposit", "approve", deposit), 1, "was reversed");
    assertEquals((await listed(deposit, "--status", "reversed"))!.reversed_by, operator.login);
    assertEquals(await listed(deposit, "--status", "approved"), undefined);
    const spent = await recorded("5000", "BANK-4");
    await operator.colleague.done("deposit", "approve", spent);
    await askWithdrawal(operator, 500_000n);
    refused(
      await operator.gold("deposit", "reverse", spent, "--yes"),
      1,
      "was spent or is held for withdrawals",
    );
    refused(await operator.gold("deposit", "list", "--status", "gone"), 2, "--status");
    assertEquals((await operator.done("ledger", "verify")).clean, true);
  });
});
