import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { itemsOf, type TestOperator, testOperator } from "../commands/fixture.ts";
import { askWithdrawal } from "../commands/money/withdrawal_fixture.ts";
import { runGold } from "../gold_fixture.ts";
import { openConsole, type TestConsole } from "./console_fixture.ts";

const [NAJD, RIYADH] = [
  "\u0645\u062c\u0648\u0647\u0631\u0627\u062a \u0646\u062c\u062f 24",
  "\u0628\u0646\u0643 \u0627\u0644\u0631\u064a\u0627\u0636",
];
const within = (text: string) => `\u2068${text}\u2069`;

describe("names from right to left", () => {
  let operator: TestOperator;
  let console: TestConsole;
  let person: Readonly<Record<string, string>>;
  const withdrawals: string[] = [];
  before(async () => {
    operator = await testOperator();
    const { service } = operator;
    const other = await service.addPartner();
    for (
      const [partner, name, halalas] of [[service.partner, NAJD, 100_000n], [
        other,
        RIYADH,
        150_000n,
      ]] as const
    ) {
      await operator.done("partner", "set", partner.clientId, "--name", name);
      await service.send("/sandbox/fund", { body: '{"amount_sar":10000}', partner });
      withdrawals.push(await askWithdrawal(operator, halalas, partner.client));
    }
    console = await openConsole(operator.env);
    person = await console.enter();
  });
  after(async () => {
    await console.stop();
    await operator.stop();
  });

  const main = async (path: string) => (await console.get(path, person)).text.replace(/[^]*<main/, "");
  const rowsOf = (text: string) =>
    [...text.matchAll(/<tr>[^]*?<\/tr>/g)].map(([row]) => row.replace(/\s+/g, " "));

  it("have a row and a <bdi> of their own at the end of the day, in the inbox and on Today", async () => {
    for (const path of ["/day", "/inbox", "/"]) {
      const rows = rowsOf(await main(path));
      for (const [name, other, amount] of [[NAJD, RIYADH, "1000"], [RIYADH, NAJD, "1500"]] as const) {
        const [row, ...more] = rows.filter((one) => one.includes(`${amount} SAR`));
        assertEquals(more, [], path);
        assertStringIncludes(row!, `${amount} SAR of <bdi>${name}</bdi>`);
        assert(!row!.includes(other), path);
      }
    }
  });

  it("have a <bdi> in questions", async () => {
    const [, form] = /name="form"\s+value="([^"]+)"/.exec(await main(`/withdrawal/${withdrawals[0]}`))!;
    const { text } = await console.post(
      "/do/withdrawal/approve",
      { form: form!, WD: withdrawals[0]! },
      person,
    );
    assertStringIncludes(text, `1000 SAR of <bdi>${NAJD}</bdi> (`);
    const asked = await console.post("/do/withdrawal/approve", {
      form: /name="form"\s+value="([^"]+)"/.exec(await main("/do/withdrawal/approve"))![1]!,
    }, person);
    for (const name of [NAJD, RIYADH]) {
      assertEquals(rowsOf(asked.text).filter((row) => row.includes(`>${name}</bdi>`)).length, 1);
    }
  });

  it("are isolated on terminals and in the day that people sign, one in each row", async () => {
    const { out } = await operator.gold("inbox");
    for (const [amount, name] of [["1000", NAJD], ["1500", RIYADH]]) {
      assertEquals(
        out.split("\n").filter((line) => line.includes(`${amount} SAR of ${within(name!)}`)).length,
        1,
      );
    }
    const questions =
      (await runGold(["withdrawal", "approve", withdrawals[0]!], { env: operator.env, yes: false }))
        .questions;
    assertStringIncludes(questions[0]!, `1000 SAR of ${within(NAJD)} (`);
    assertMatch((await operator.gold("partner", "list")).out, new RegExp(`${within(NAJD)}  `));
    const checks = itemsOf(await operator.done("day", "check"));
    assertEquals(
      checks.filter(({ point }) => point === "withdrawals to approve").map(({ detail }) => detail),
      [`1000 SAR of ${within(NAJD)}`, `1500 SAR of ${within(RIYADH)}`],
    );
  });
});
