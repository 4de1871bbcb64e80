import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { expectsOf } from "../../../../../tools/testing/by_two.ts";
import { openConsole, type TestConsole } from "../../console/console_fixture.ts";
import { runGold } from "../../gold_fixture.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "../money/withdrawal_fixture.ts";

const OTHER_IBAN = "SA4420000001234567891234";
const HOUSE_IBAN = "SA9480000000000000000001";

describe("the warnings of a proposal", () => {
  let operator: TestOperator;
  let [id, key] = ["", ""];
  let references = 0;
  let console: TestConsole;
  let person: Readonly<Record<string, string>>;
  before(async () => {
    operator = await testOperator();
    id = operator.service.partner.clientId;
    key = await operator.write("key.pem", writePem("PUBLIC KEY", (await generateKeyPair()).publicKeySpki));
    await operator.done(
      "market",
      "set",
      "--exposure",
      "1000",
      "--breaker",
      "5",
      "--within",
      "60",
      "--band",
      "1",
      "--band-hour",
      "3",
    );
    for (let n = 1; n <= 4; n++) {
      await operator.done(
        ...[
          "vault",
          "add",
          "--serial",
          `BAR-${n}`,
          "--refiner",
          "R",
          "--gross",
          "1000",
          "--fineness",
          "999.9",
          "--vault",
          "V",
        ],
      );
    }
    await operator.done(
      "partner",
      "set",
      id,
      "--daily-withdrawn",
      "1000",
      "--webhook",
      "https://bank.example/hooks",
    );
    await setPayoutAccount(operator);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":10000}' });
    await operator.service.books.sql`select gold.require_two_people()`;
  });
  before(async () => {
    console = await openConsole(operator.colleague.env);
    person = await console.enter();
  });
  after(async () => {
    await console?.stop();
    await operator?.stop();
  });

  const asColleague = (words: string, ...more: string[]) =>
    operator.colleague.done(...words.split(" "), ...more);
  /** Proposes a change, and returns its warnings. `approve` approves it, else it is rejected. */
  async function warningsOf(argv: readonly string[], approve = false): Promise<string[]> {
    return await warningsOfProposal(await operator.done(...argv), approve);
  }
  async function warningsOfProposal(proposed: object, approve = false): Promise<string[]> {
    const { proposal_id, sha256 } = proposed as { proposal_id: string; sha256: string };
    const { warnings = [] } = await operator.colleague.done("proposal", "show", proposal_id) as {
      warnings?: { warning: string; type: string; what: string }[];
    };
    const decide = ["proposal", "approve", proposal_id, "--yes", "--sha256", sha256];
    const page = (await console.get(`/proposal/${proposal_id}`, person)).text.replaceAll("&#39;", "'");
    const button = page.indexOf("do/proposal/approve");
    for (const { warning, type, what } of warnings) {
      const place = page.indexOf(warning);
      assert(place >= 0 && place < button, `The console does not show before the button: ${warning}`);
      // Without the value, nobody approves it in a script, and a person who types another one does not either.
      const others = warnings.flatMap((one) => one.type === type ? [] : ["--expect", one.type]);
      refused(
        await operator.colleague.gold(...decide, ...others),
        2,
        `${warning} If this is right, give ${what}`,
      );
      const { env } = operator.colleague;
      const typed = await runGold(["proposal approve", proposal_id, ...others], {
        env,
        yes: true,
        typed: "y",
      });
      assertEquals([typed.exit, typed.out], [1, ""]);
      assert(typed.problem.detail.startsWith(`You typed y, and ${what} is ${type}.`), typed.err);
    }
    if (approve) {
      await asColleague(
        "proposal approve",
        proposal_id,
        "--sha256",
        sha256,
        ...await expectsOf(asColleague, proposal_id),
      );
    } else await operator.done("proposal", "reject", proposal_id);
    return warnings.map(({ warning }) => warning);
  }
  const deposit = (
    amount: string,
    client = id,
  ) => ["deposit", "record", client, "--amount", amount, "--bank-ref", `FT${references++}`];
  const partner = (name: string, ...more: string[]) => [
    ...["partner", "create", "--name", name, "--iban", OTHER_IBAN, "--signing-key", key],
    ...["--ip", "203.0.113.7", "--webhook", "https://other.example/", ...more],
  ];

  it("name the first deposit, one that is far above the last ones, and the same amount twice", async () => {
    const [only, ...none] = await warningsOf(deposit("1000"), true);
    assertMatch(only!, /^This is the first deposit of /);
    assertEquals(none, []);
    assertEquals(await warningsOf(deposit("9999.99")), []);
    const tenfold = (amount: string, of: string) => `${amount} SAR is at least ten times the median of ${of}`;
    assertEquals(await warningsOf(deposit("10000")), [
      tenfold("10000", `the last deposit of ${await nameOf(id)}, 1000 SAR.`),
    ]);
    for (const amount of ["1100", "900"]) assertEquals(await warningsOf(deposit(amount), true), []);
    assertEquals(await warningsOf(deposit("10000")), [
      tenfold("10000", `the last 3 deposits of ${await nameOf(id)}, 1000 SAR.`),
    ]);
    assertEquals(await warningsOf(deposit("1200"), true), []);
    assertEquals(await warningsOf(deposit("3000.01")), [
      `3000.01 SAR is more than three times the median of the last 4 deposits of ${await nameOf(
        id,
      )}, 1000 SAR.`,
    ]);
    assertEquals(await warningsOf(deposit("3000")), []);
    const other = (await operator.service.addPartner()).clientId;
    const [first, twin] = await warningsOf(deposit("900", other));
    assertMatch(first!, /^This is the first deposit of /);
    assertMatch(
      twin!,
      new RegExp(`^The same amount was recorded for .* \\(${id}\\) within a day, with the reference FT4\\.$`),
    );
    // A partner without a deposit is compared with the others.
    assertMatch(
      (await warningsOf(deposit("9999.98", other))).join(),
      /^This is the first deposit of [^.]*\. Compare[^.]*\.$/,
    );
    assertEquals(
      (await warningsOf(deposit("10000", other)))[0],
      tenfold("10000", "the last 4 deposits of all partners, 1000 SAR."),
    );
  });

  const nameOf = async (client: string) => `${(await operator.done("partner", "show", client)).name}`;

  it("name a price that leaves the band, another spread, and a market without its limits", async () => {
    await warningsOf(["price", "set", "--source", "fixed", "--mid", "320", "--spread", "60"], true);
    assertMatch(
      (await warningsOf(["price", "set", "--mid", "3200"])).join(),
      /It leaves the price band\. Compare/,
    );
    assertEquals(await warningsOf(["price", "set", "--mid", "320", "--spread", "600"]), [
      ...["The spread changes from 60 to 600 basis points."],
    ]);
    assertEquals(await warningsOf(["market", "set", "--exposure", "3001"]), [
      "The limit of the exposure grows from 1000 g to 3001 g.",
    ]);
    assertEquals(await warningsOf(["market", "set", "--exposure", "3000"]), []);
    assertEquals(
      await warningsOf(["market", "set", "--band", "4", "--band-hour", "9"]),
      ["The price band grows from 100 to 400 basis points (step)."],
    );
    assertEquals(
      await warningsOf(["price", "set", "--source", "http", "--url", "https://prices.example/gold"]),
      ["The prices come from prices.example from now on."],
    );
    assertEquals(
      await warningsOf(["market", "set", "--exposure", "unlimited", "--breaker", "off", "--band", "off"]),
      [
        "The limit of the exposure grows from 1000 g to unlimited.",
        "The market has no breaker any more.",
        "The market has no band any more.",
      ],
    );
  });

  it("name a partner's doubtful name, IBAN, addresses and receiver", async () => {
    assertEquals(await warningsOf(partner("Najd Jewellers")), []);
    // A script needs the id of the partner that it proposed.
    const { client_id, proposal_id } = await operator.done(...partner("Jeddah Gold"));
    const { canonical_text } = await operator.done("proposal", "show", `${proposal_id}`);
    assertMatch(`${canonical_text}`, new RegExp(`"client_id":"${client_id}"`));
    await operator.done("proposal", "reject", `${proposal_id}`);
    assertMatch(
      (await warningsOf(partner("N\u0430jd"))).join(),
      /mixes Latin and Cyrillic letters.*: \u0430 is Cyrillic/,
    );
    assertMatch((await warningsOf(partner("Alph\u03b1"))).join(), /mixes Latin and Greek/);
    assertEquals(await warningsOf(partner("مجوهرات نجد Najd")), []);
    const name = await nameOf(id);
    assertEquals(await warningsOf(partner(name.toUpperCase())), [
      `Another partner has the name ${name.toUpperCase()}, too: ${id}.`,
    ]);
    assertMatch(
      (await warningsOf(partner("B", "--ip", "10.0.0.0/8"))).join(),
      /The range 10\.0\.0\.0\/8 .* very wide/,
    );
    assertEquals(
      await warningsOf(
        [...partner("C"), "--webhook=https://bank.example/x"].filter((one) =>
          one !== "https://other.example/" && one !== "--webhook"
        ),
      ),
      [
        `Webhooks of ${name} also go to bank.example.`,
      ],
    );
    const { iban } = await operator.done("partner", "show", id);
    const other = (await operator.service.addPartner()).clientId;
    assertMatch(
      (await warningsOf(["partner", "set", other, "--iban", HOUSE_IBAN])).join(),
      /the house's own payout account/,
    );
    await warningsOf(["partner", "set", other, "--iban", OTHER_IBAN], true);
    assertMatch(
      (await warningsOf(["partner", "set", other, "--iban", `${iban}`])).join(),
      /^The IBAN .* also belongs to /,
    );
  });

  it("name limits that grow threefold or end, and a bar that is far heavier", async () => {
    assertMatch(
      (await warningsOf(["partner", "set", id, "--daily-withdrawn", "3001"])).join(),
      /daily_withdrawn .* more than three times/,
    );
    assertEquals(await warningsOf(["partner", "set", id, "--daily-withdrawn", "3000"]), []);
    assertMatch(
      (await warningsOf(["partner", "set", id, "--max-grams", "99000"])).join(),
      /^The limit maximum_grams of .* becomes more than three times as high\.$/,
    );
    assertMatch(
      (await warningsOf(["partner", "set", id, "--daily-withdrawn", "unlimited"])).join(),
      /has no limit daily_withdrawn/,
    );
    const bar = (gross: string) => [
      ...["vault", "add", "--serial", `B${references++}`, "--refiner", "R", "--gross", gross],
      ...["--fineness", "999.9", "--vault", "V"],
    ];
    assertEquals(await warningsOf(bar("1050")), []);
    assertMatch(
      (await warningsOf(bar("12441.4"))).join(),
      /^The bar weighs 12441\.4 g, more than three times/,
    );
  });

  it("name a payment to a young IBAN, and one that is far above the last ones", async () => {
    const { sql } = operator.service.books;
    const { client } = operator.service.partner;
    const pay = async (halalas: bigint, approve: boolean) => {
      await operator.done("withdrawal", "approve", await askWithdrawal(operator, halalas));
      const { json } = await operator.colleague.gold(
        "withdrawal",
        "submit",
        "--out",
        operator.path(`p${references++}.xml`),
        "--yes",
        "--json",
      );
      const proposed = json as { proposal_id: string; sha256: string };
      const { warnings = [] } = await operator.done("proposal", "show", proposed.proposal_id) as {
        warnings?: { warning: string }[];
      };
      const asOperator = (words: string, ...more: string[]) => operator.done(...words.split(" "), ...more);
      const expects = await expectsOf(asOperator, proposed.proposal_id);
      if (approve) {
        await operator.done(
          "proposal",
          "approve",
          proposed.proposal_id,
          "--sha256",
          proposed.sha256,
          ...expects,
        );
      }
      return warnings.map(({ warning }) => warning);
    };
    // The other partners of this suite have the same IBAN. This one is a day old.
    await sql`update gold.partner set suspended_at = now() where id <> ${client}`;
    await sql`update gold.partner set created_at = now() - interval '25 hours' where id = ${client}`;
    for (let n = 0; n < 4; n++) assertEquals(await pay(1000n, true), []);
    await sql`update gold.partner set created_at = now() where id = ${client}`;
    const [unusual, young, ...more] = await pay(5000n, false);
    assertMatch(unusual!, /^50 SAR is more than three times the median of the last 4 withdrawals/);
    assertEquals([young, more], [`${await nameOf(id)} has had its IBAN for less than 24 hours.`, []]);
  });

  it("name the first deposit of a partner that is suspended", async () => {
    const other = (await operator.service.addPartner()).clientId;
    await operator.done("partner", "suspend", other);
    const name = await nameOf(other);
    assertEquals(await warningsOf(deposit("77", other)), [
      `${name} is suspended. This is the first deposit of ${name}. Compare the sender on the bank's statement.`,
    ]);
  });

  it("name a payout account that is a partner's, or whose name has foreign letters", async () => {
    const { iban } = await operator.done("partner", "show", id);
    const { sql } = operator.service.books;
    const payout = async (name: string, iban: string) => {
      const [proposed] = await sql`
        select id as proposal_id, sha256
        from gold.propose('deployment.payout', ${sql.json({ name, iban, bic: "HOUSSARI" })}, null, null)`;
      return await warningsOfProposal(proposed!);
    };
    const [shared, ...more] = await payout("House", `${iban}`);
    assertMatch(shared!, /^The IBAN SA\w+ belongs to the partner /);
    assertEquals(more, []);
    assertMatch((await payout("H\u043euse", HOUSE_IBAN)).join(), /mixes Latin and Cyrillic letters/);
  });

  it("name another proposal that waits and changes the same", async () => {
    const { proposal_id } = await operator.done("partner", "set", id, "--name", "First") as {
      proposal_id: string;
    };
    const [crossing] = await warningsOf(["partner", "set", id, "--name", "Second"]);
    assertEquals(
      crossing,
      `Another proposal of the same kind for ${id} waits, by ${operator.login}: ${proposal_id}.`,
    );
    await operator.done("proposal", "reject", proposal_id);
    assertEquals(itemsOf(await operator.done("proposal", "list", "--status", "pending")).length > 0, true);
  });
});
