import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type TestOperator, testOperator } from "../commands/fixture.ts";
import { openConsole, type TestConsole } from "./console_fixture.ts";

const EVIL = "https://evil.example/hook";
const FORM = /name="form"\s+value="([^"]+)"/;
const QUESTION = /name="question"\s+value="([^"]+)"/;
type Fields = Readonly<Record<string, string>>;

describe("a link to the console", () => {
  let operator: TestOperator;
  let console: TestConsole;
  let person: Fields;
  const id = () => operator.service.partner.clientId;

  before(async () => {
    operator = await testOperator();
    await operator.done("market", "set", "--band", "5", "--band-hour", "10");
    console = await openConsole(operator.env);
    person = await console.enter();
  });
  after(async () => {
    await console.stop();
    await operator.stop();
  });

  /** Sends the form of an action, as its own page does. */
  async function send(action: string, fields: Fields, at = console, who = person) {
    const page = await at.get(action, who);
    const [, form] = FORM.exec(page.text.replace(/[^]*<main/, ""))!;
    return await at.post(action, { form: form!, ...fields }, who);
  }
  const partnerToday = () => operator.done("partner", "show", id());

  it("fills a form only from a page of the console", async () => {
    const path = `/do/partner/set?ID=${id()}&--webhook=${encodeURIComponent(EVIL)}`;
    const isFilled = async (headers: Fields) =>
      (await console.get(path, { ...person, ...headers })).text.includes(EVIL);
    for (const site of ["cross-site", "same-site", "none"]) {
      assertEquals(await isFilled({ "sec-fetch-site": site }), false, site);
    }
    assertEquals([await isFilled({}), await isFilled({ "sec-fetch-site": "same-origin" })], [false, true]);
  });

  it("loses its query on its way to a form", async () => {
    const { text } = await console.get("/x", {}, "");
    const [, script] = /<script[^>]*>([^]*)<\/script>/.exec(text)!;
    const base = `/${"a".repeat(32)}/`;
    const opened = (address: string) => {
      let found = "";
      const { pathname, search } = new URL(console.origin + address);
      const run = new Function("location", "localStorage", script!);
      run({ pathname, search, replace: (to: string) => found = to }, { getItem: () => base });
      return found;
    };
    const query = `?--webhook=${EVIL}`;
    const forms = ["/do/partner/set", `/${"0".repeat(32)}/do/partner/set`, "/%64o/partner/set"];
    for (
      const form of [...forms, "/./do/partner/set", "/x/../do/partner/set", "//do/partner/set", "/do%2Fa"]
    ) {
      assert(!opened(form + query).includes("evil"), form);
    }
    assertEquals(opened(`/orders?partner=${id()}`), `${base}orders?partner=${id()}`);
    assertEquals(
      opened(`/${"0".repeat(32)}/partner/x/statement?from=1`),
      `${base}partner/x/statement?from=1`,
    );
  });

  const ASKED = [
    ["/do/partner/set", "--webhook", EVIL],
    ["/do/partner/set", "--ip", "0.0.0.0/0"],
    ["/do/price/set", "--mid", "321"],
    ["/do/market/set", "--band", "off"],
    ["/do/market/set", "--breaker", "off"],
    ["/do/price/set", "--open", "never"],
  ] as const;
  for (const [action, option, value] of ASKED) {
    it(`asks a single operator once before ${action} ${option}`, async () => {
      const given = { ...(action === "/do/partner/set" ? { ID: id() } : {}), [option]: value };
      const rows = async () =>
        (await operator.service.books.sql`select count(*)::int as rows from gold.audit`)[0]!.rows;
      const before = await rows();
      const asked = await send(action, given);
      const [, question] = QUESTION.exec(asked.text)!;
      assertStringIncludes(asked.text, "Make this change now?");
      assertEquals(await rows(), before);
      const done = await send(action, { ...given, question: question!, answer: "yes" });
      assertEquals([done.status, await rows() > before], [303, true], done.text);
    });
  }

  it("shows before the answer what changes, and asks nothing about a rate", async () => {
    const { text } = await send("/do/partner/set", { ID: id(), "--webhook": "https://bank.example/new" });
    const visible = text.replace(/<details>[^]*?<\/details>/g, "");
    for (const part of [EVIL, "https://bank.example/new"]) assertStringIncludes(visible, part);
    assertEquals((await send("/do/partner/set", { ID: id(), "--burst": "20" })).status, 303);
    assertEquals((await partnerToday()).webhook_url, EVIL);
  });

  it("accepts the answer about a price although the price of before goes on", async () => {
    await operator.done("price", "set", "--source", "simulated");
    const [, question] = QUESTION.exec((await send("/do/price/set", { "--mid": "322" })).text)!;
    await operator.service.books.sql`update gold.price set mid = mid + 100`;
    const done = await send("/do/price/set", { "--mid": "322", question: question!, answer: "yes" });
    assertEquals(done.status, 303, done.text);
  });

  it("never approves: it leads to the proposal, whose question unfolds what changes", async () => {
    await operator.service.books.sql`select gold.require_two_people()`;
    const { proposal_id, sha256 } = await operator.done(
      ...["partner", "set", id(), "--webhook", "https://bank.example/third"],
    ) as { proposal_id: string; sha256: string };
    const other = await openConsole(operator.colleague.env);
    try {
      const colleague = await other.enter();
      for (const site of ["cross-site", "same-origin"]) {
        const link = `/do/proposal/approve?PROPOSAL=${proposal_id}&--sha256=${sha256}`;
        const { status, headers } = await other.get(link, { ...colleague, "sec-fetch-site": site });
        const page = `/proposal/${proposal_id}`;
        assertEquals([status, headers.location!.replace(/^\/\w{32}/, "")], [303, page], site);
      }
      const odd = await other.get("/do/proposal/sign?PROPOSAL=../../x%3Fy%23z", colleague);
      assert(odd.headers.location!.endsWith("/proposal/..%2F..%2Fx%3Fy%23z"), odd.headers.location);
      const none = await other.get("/do/proposal/approve", colleague);
      assert(none.headers.location!.endsWith("/inbox"), none.headers.location);
      assertEquals((await other.get("/do/proposal/nothing?PROPOSAL=x", colleague)).status, 404);

      const [, form] = FORM.exec(
        (await other.get(`/proposal/${proposal_id}`, colleague)).text.replace(/[^]*<main/, ""),
      )!;
      const fields = { form: form!, PROPOSAL: proposal_id, "--sha256": sha256 };
      const { text } = await other.post("/do/proposal/approve", fields, colleague);
      const visible = text.replace(/[^]*<main/, "").replace(/<details>[^]*?<\/details>/g, "");
      assertStringIncludes(visible, "https://bank.example/third");
    } finally {
      await other.stop();
    }
  });

  it("asks one person of two before the market closes, and not before a proposal", async () => {
    const closing = await send("/do/price/set", { "--open": "never" });
    assertStringIncludes(closing.text, "Make this change now?");
    const proposed = await send("/do/partner/set", { ID: id(), "--webhook": EVIL });
    assertEquals(proposed.status, 303);
  });
});
