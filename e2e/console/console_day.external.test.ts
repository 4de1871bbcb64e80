import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import postgres from "postgres";
import { findFreePort } from "@gold-partner/dev/postgres";
import { type Started, startUntilReady } from "@gold-partner/dev/testing";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../../tools/testing/until.ts";
import { Caller } from "../contract/caller_fixture.ts";
import { launchBrowser, Typist } from "./browser_fixture.ts";

const NAME = "Najd Jewellers";

/** The day of docs/operator_day.md, at the consoles that `npm start` prints, with the keyboard alone. */
describe("a day at the consoles of two people", () => {
  let folder: string;
  let started: Started;
  let browser: Browser;
  let amal: Typist;
  let badr: Typist;
  let partner: Caller;
  let id = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-console-day-"));
    started = await startUntilReady(
      join(folder, "state"),
      "--port",
      `${await findFreePort()}`,
      "--two-people",
    );
    browser = await launchBrowser();
    const links = () => started.said().match(/http:\/\/\S+\/open\/\S+/g) ?? [];
    await until(() => links().length === 2);
    [amal, badr] = await Promise.all(links().map((link) => Typist.open(browser, link))) as [Typist, Typist];
  });
  after(async () => {
    await browser?.close();
    await started?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  /** The other person approves the newest proposal of the inbox. */
  const approve = async (person: Typist, answers: Readonly<Record<string, string>> = {}) => {
    await person.press("Inbox");
    await person.press("Read");
    await person.act("Approve", answers);
    assertStringIncludes(await person.text(), "Approved.");
  };
  const fill = async (person: Typist, button: string, fields: Readonly<Record<string, string>>) => {
    await person.press(button);
    await person.fill(fields);
    await person.act("Continue");
  };

  it("shows the demo's order one step away from Today", async () => {
    await amal.page.locator("tbody a[href^='./order/ord_']").first().focus();
    await amal.page.keyboard.press("Enter");
    await amal.page.waitForURL("**/order/ord_*");
    const text = await amal.text();
    for (const part of ["3. The signed request", "verified", "8. Its link in the partner's hash chain"]) {
      assertStringIncludes(text, part);
    }
  });

  it("09:00 sets limits of the market, and the price", async () => {
    await amal.press("Market");
    await fill(amal, "Set limits of the market", { Exposure: "50000" });
    await amal.press("Market");
    await fill(amal, "Set the price or the hours", { Mid: "502", Spread: "60", Source: "fixed" });
    await approve(badr);
    await badr.press("Market");
    await badr.sees("502");
  });

  it("09:30 adds a partner", async () => {
    for (const name of ["key", "tls"]) {
      openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", `${name}.pem`);
    }
    openssl("ec", "-in", "key.pem", "-pubout", "-out", "public.pem");
    await amal.press("Partners");
    await fill(amal, "Add a partner", {
      Name: NAME,
      IBAN: "SA0380000000608010167519",
      "IP ranges": "127.0.0.1",
      Webhook: "https://bank.example/webhooks",
      "Signing key": `@${path("public.pem")}`,
      "Daily withdrawn": "200000",
    });
    const own = amal.page.url();
    await approve(badr, { "the last four characters of the IBAN": "7519" });
    await amal.page.goto(own);
    await amal.page.locator("a[href^='./proposal/']").first().focus();
    await amal.page.keyboard.press("Enter");
    await amal.page.waitForURL("**/proposal/*");
    await amal.act("Show its secrets once");
    const [, secret] = /Client secret\s+(\S+)/i.exec(await amal.text())!;
    await amal.press("Partners");
    const row = amal.page.locator("tr", { hasText: NAME });
    [, id = ""] = /(sbx_[a-z0-9]{20})/.exec((await row.locator("a").first().getAttribute("href"))!)!;
    openssl("req", "-new", "-key", "tls.pem", "-subj", `/O=${NAME}/CN=${id}`, "-out", "tls.csr");
    await amal.goto(`/partner/${id}`);
    await fill(amal, "Issue a certificate", { "Certificate request": `@${path("tls.csr")}` });
    await keep(amal, "tls.crt");
    await approve(badr);
    partner = await Caller.of({
      ...{ base_url: started.run.base_url, ca: join(folder, "state", "pki", "ca.pem") },
      ...{ cert: path("tls.crt"), key: path("tls.pem"), signing_key: path("key.pem") },
      ...{ client_id: id, client_secret: secret!, webhook_secret: "" },
    });
    assertEquals((await partner.call("getBalances")).status, 200);
  });

  it("10:00 records a deposit, and 10:30 rejects a wrong one", async () => {
    await amal.goto(`/partner/${id}`);
    await fill(amal, "Record a deposit", { "Amount": "250000", "Bank reference": "FT26330A1" });
    await approve(badr, { "the last four characters of the partner's id": id.slice(-4) });
    assertEquals(await available(), 250_000);
    await amal.goto(`/partner/${id}`);
    await fill(amal, "Record a deposit", { "Amount": "2500000", "Bank reference": "FT26330A2" });
    await badr.press("Inbox");
    await badr.press("Read");
    await badr.act("Reject or withdraw");
    assertEquals(await available(), 250_000);
  });

  it("11:00 raises a limit", async () => {
    await badr.goto(`/partner/${id}`);
    await fill(badr, "Change", { "Daily withdrawn": "500000" });
    await approve(amal);
    await badr.goto(`/partner/${id}`);
    assertMatch(await badr.text(), /daily_withdrawn\s+500,?000/);
  });

  it("13:00 pays a withdrawal, which two people signed", async () => {
    await amal.goto("/money");
    assertEquals((await partner.call("createWithdrawal", { body: { amount_sar: 100_000 } })).status, 201);
    await letADayPass();
    await fill(amal, "Approve withdrawals", {});
    await badr.press("Money");
    await fill(badr, "Submit approved withdrawals", {});
    const proposed = await badr.text();
    await approve(amal, { "the last four characters of the IBAN": "7519" });
    const batch = await batchOf(proposed);
    await badr.press("Money");
    await fill(badr, "Submit approved withdrawals", { Batch: batch });
    await keep(badr, "payment.xml");
    assertMatch(
      await readFile(path("payment.xml"), "utf8"),
      /<InstdAmt Ccy="SAR">100000\.00<[\s\S]*<IBAN>SA0380000000608010167519</,
    );
    await badr.press("Money");
    await fill(badr, "The bank paid", { Batch: batch });
    assertEquals(await available(), 150_000);
  });

  it("15:00 stops a partner and the market alone, and starts them by two", async () => {
    await badr.goto(`/partner/${id}`);
    await badr.act("Suspend");
    assertEquals((await partner.call("createWithdrawal", { body: { amount_sar: 1 } })).status, 403);
    await badr.press("Market");
    await fill(badr, "Close the market now", {});
    await badr.goto(`/partner/${id}`);
    await badr.act("Resume");
    await approve(amal);
    await badr.press("Market");
    await fill(badr, "Set the price or the hours", { "Market hours": "always" });
    await approve(amal);
    await amal.press("Market");
    await amal.sees("always");
  });

  it("18:00 signs the end of the day, and the other person approves it", async () => {
    await amal.press("End of day");
    await fill(amal, "Sign the end of the day", {});
    const [file] = /\S+-day\.json/.exec(await amal.text())!;
    const day = await readFile(file, "utf8");
    assertEquals((JSON.parse(day) as { login: string }).login, "operator_one");
    execFileSync("ssh-keygen", ["-Y", "check-novalidate", "-n", "gold-day", "-s", `${file}.sig`], {
      input: day,
    });
    await approve(badr);
    assertEquals([amal.complaints, badr.complaints], [[], []]);
  });

  async function available(): Promise<number> {
    const { sar } = await partner.succeed("getBalances") as { sar: { available: number } };
    return sar.available;
  }

  /** Keeps a file that the page offers. */
  async function keep(person: Typist, name: string): Promise<void> {
    await person.focus(name);
    const download = person.page.waitForEvent("download");
    await person.page.keyboard.press("Enter");
    await (await download).saveAs(path(name));
  }

  /** Payouts to a new IBAN are held for a day. */
  async function letADayPass(): Promise<void> {
    const url = await readFile(join(folder, "state", "keys", "migration_database_url"), "utf8");
    const sql = postgres(url.trim(), { max: 1 });
    await sql`update gold.partner set iban_changed_at = iban_changed_at - interval '24 hours'`;
    await sql.end();
  }

  async function batchOf(text: string): Promise<string> {
    const [, proposal] = /Proposal\s+([0-9a-f-]{36})/.exec(text)!;
    await badr.goto(`/proposal/${proposal}`);
    return /batch\s+(?:–\s+)?([0-9a-f-]{36})/i.exec(await badr.text())![1]!;
  }
});
