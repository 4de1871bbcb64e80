import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold audit", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    await operator.done("partner", "set", operator.service.partner.clientId, "--burst", "300");
    await operator.done("price", "set", "--mid", "500");
    await operator.colleague.done("partner", "suspend", operator.service.partner.clientId);
  });
  after(() => operator.stop());

  it("list shows who changed what and when, newest first", async () => {
    const [newest, before] = itemsOf(await operator.done("audit", "list"));
    assertEquals(
      [newest!.login, newest!.action, newest!.subject],
      [operator.colleague.login, "partner.suspend", operator.service.partner.clientId],
    );
    assertEquals([before!.login, before!.action], [operator.login, "price.set"]);
    const { mid_price, buy_price, sell_price } = JSON.parse(before!.detail as string);
    assertEquals([mid_price, buy_price, sell_price], ["500", "501.5", "498.5"]);
    assert(Date.parse(newest!.at as string) >= Date.parse(before!.at as string));
  });

  it("list shows a limit in grams as a decimal", async () => {
    await operator.done("market", "set", "--exposure", "10.5");
    const [newest] = itemsOf(await operator.done("audit", "list", "--limit", "1"));
    assertEquals([newest!.action, newest!.subject, JSON.parse(newest!.detail as string).grams], [
      "market.exposure",
      "10.5 g",
      "10.5",
    ]);
  });

  it("list filters by --since and --subject, and limits the rows with --limit", async () => {
    const all = itemsOf(await operator.done("audit", "list"));
    const since = all[1]!.at as string;
    assertEquals(
      itemsOf(await operator.done("audit", "list", "--since", since)),
      all.filter(({ at }) => at as string >= since),
    );
    const { clientId } = operator.service.partner;
    const own = itemsOf(await operator.done("audit", "list", "--subject", clientId));
    assertEquals(own.map(({ action }) => action), ["partner.suspend", "partner.set"]);
    assertEquals(itemsOf(await operator.done("audit", "list", "--limit", "1")), [all[0]]);
    refused(await operator.gold("audit", "list", "--since", "yesterday"), 2, "--since");
    refused(await operator.gold("audit", "list", "--limit", "0"), 2, "--limit");
  });

  it("list shows amounts as decimals with the unit in the name", async () => {
    const { clientId } = operator.service.partner;
    await operator.done("vault add --serial UNITS-1 --refiner R --gross 1000.5 --fineness 999.9 --vault V");
    await operator.done("partner", "set", clientId, "--max-grams", "12.5");
    await operator.done("deposit", "record", clientId, "--amount", "1234.56", "--bank-ref", "UNITS");
    const details = itemsOf(await operator.done("audit", "list", "--limit", "3")).map(({ detail }) =>
      JSON.parse(detail as string)
    );
    const [deposit, terms, bar] = details;
    assertEquals([deposit.amount_sar, deposit.amount], ["1234.56", undefined]);
    assertEquals(terms.maximum_grams, "12.5");
    assertEquals([bar.gross_grams, bar.fine_grams, bar.fineness], ["1000.5", "1000.3999", "999.9"]);
  });

  it("verify reports a clean audit and prints a head, which --head later accepts", async () => {
    const { clean, defects, head, last_id } = await operator.done("audit", "verify");
    assertEquals([clean, defects], [true, 0]);
    assertMatch(head as string, /^[0-9a-f]{64}$/);
    assertEquals(last_id, itemsOf(await operator.done("audit", "list"))[0]!.id);
    await operator.done("price", "set", "--mid", "501");
    const later = await operator.done("audit", "verify", "--head", head as string);
    assertEquals([later.clean, later.head === head], [true, false]);
    refused(await operator.gold("audit", "verify", "--head", "abc"), 2, "--head");
  });

  it("verify exits with 4 if a row was edited; with --head, also if the chain was rewritten", async () => {
    const { sql } = operator.service.books;
    const { head } = await operator.done("audit", "verify");
    await sql`alter table gold.audit disable trigger append_only`;
    await sql`alter table gold.audit_link disable trigger append_only`;
    await sql`update gold.audit set login = 'somebody' where action = 'partner.suspend'`;
    const edited = await operator.gold("audit", "verify", "--json");
    assertEquals([edited.exit, edited.json.clean, itemsOf(edited.json)[0]!.rule], [
      4,
      false,
      "audit_is_whole",
    ]);
    assertMatch((await operator.gold("audit", "verify")).out, /^The audit has 1 defect/);
    await sql`truncate gold.audit_link`;
    await sql`delete from gold.audit_tail`;
    await sql`select gold.seal_audit()`;
    await operator.done("price", "set", "--mid", "502");
    assertEquals((await operator.gold("audit", "verify")).exit, 0);
    const rewritten = await operator.gold("audit", "verify", "--head", head as string, "--json");
    assertEquals([rewritten.exit, itemsOf(rewritten.json)[0]!.rule], [4, "head_is_kept"]);
  });

  it("verify always exits with 4 after something other than gold inserted a row", async () => {
    const { sql } = operator.service.books;
    await sql`insert into gold.audit (login, action, subject, detail) values (${operator.login}, 'price.set', 'fixed', '{}')`;
    for (const mid of ["503", "504"]) {
      const forged = await operator.gold("audit", "verify", "--json");
      assertEquals([forged.exit, itemsOf(forged.json)[0]!.detail], [
        4,
        "the row has no link: gold did not write it",
      ]);
      await operator.done("price", "set", "--mid", mid);
    }
  });
});
