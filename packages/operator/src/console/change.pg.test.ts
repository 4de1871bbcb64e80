import { after, before, describe, it } from "node:test";
import type { ChangeReply } from "@gold-partner/protocol";
import { newTestKey, type TestPartner } from "@gold-partner/server/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { itemsOf, type TestOperator, testOperator } from "../commands/fixture.ts";
import { openConsole, type TestConsole } from "./console_fixture.ts";

const PATH = "/v1/account/changes";
const CHANNEL = "Asked by the partner over the API: compare by another channel.";

describe("a partner's request and its endpoints in the console", () => {
  let operator: TestOperator;
  let console: TestConsole;
  let person: Readonly<Record<string, string>>;
  let partner: TestPartner;
  before(async () => {
    operator = await testOperator();
    partner = await operator.service.addPartner();
    console = await openConsole(operator.env);
    person = await console.enter();
  });
  after(async () => {
    await console.stop();
    await operator.stop();
  });

  const page = async (path: string) => (await console.get(path, person)).text;
  const main = (text: string) => text.replace(/[^]*<main/, "");
  const valueOf = (text: string, name: string) =>
    new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(main(text))?.[1];
  async function ask(body: object): Promise<string> {
    const reply = await operator.service.signed(PATH, JSON.stringify(body), { partner });
    return (await reply.json() as ChangeReply).change_id;
  }
  const status = async (id: string) =>
    (await (await operator.service.send(`${PATH}/${id}`, { method: "GET", partner })).json() as ChangeReply)
      .status;
  /** Sends the form of an action, and answers its question with yes. Returns the question and the last page. */
  async function doing(words: string, fields: Readonly<Record<string, string>>) {
    const path = `/do/${words.replace(" ", "/")}`;
    const form = valueOf(await page(path), "form")!;
    let reply = await console.post(path, { form, ...fields }, person);
    const question = /<p class="lead" dir="ltr">([^]*?)<\/p>/.exec(main(reply.text))?.[1] ?? "";
    if (reply.status === 200) {
      const answer = {
        form: valueOf(reply.text, "form")!,
        question: valueOf(reply.text, "question")!,
        answer: "yes",
      };
      reply = await console.post(path, { ...fields, ...answer }, person);
    }
    if (reply.status !== 303) return { question, text: main(reply.text) };
    return { question, text: main((await console.get(reply.headers.location!, person, "")).text) };
  }

  it("leads from the inbox to a page with what to compare, which takes it up", async () => {
    const { thumbprint, publicJwk } = await newTestKey();
    const asked = [
      await ask({ signing_key: { ...publicJwk, kid: "hsm-2" } }),
      await ask({ ip_range: "198.51.100.0/24" }),
      await ask({ webhook_endpoint: { url: "https://127.0.0.1:9/two" } }),
    ];
    const inbox = await page("/inbox");
    const told = [[thumbprint, "hsm-2"], ["198.51.100.0/24", "127.0.0.1/32"], [
      "https://127.0.0.1:9/two",
      "all",
    ]];
    for (const [index, id] of asked.entries()) {
      assertStringIncludes(inbox, `href="./change/${id}"`);
      const text = main(await page(`/change/${id}`));
      for (const part of [CHANNEL, "Take", "Decline", "Registered today", ...told[index]!]) {
        assertStringIncludes(text, part, id);
      }
      const { question } = await doing("change take", { CHG: id });
      assertStringIncludes(question, CHANNEL);
      assertStringIncludes(question, told[index]![0]!);
      assertEquals(await status(id), "approved");
      const after = main(await page(`/change/${id}`));
      assert(!after.includes("Decline</a>") && !after.includes("Take</button>"));
    }
    assertStringIncludes(await page(`/partner/${partner.clientId}`), `href="./change/${asked[0]}"`);
  });

  it("declines with a reason, also what can no longer be taken", async () => {
    const id = await ask({ ip_range: "203.0.113.0/24" });
    await operator.service.books.sql`
      update gold.change_request set wanted = null where id = ${id.slice(4)}::uuid`;
    const text = main(await page(`/change/${id}`));
    assertStringIncludes(text, "can only be declined");
    assert(!text.includes("Take</button>"));
    assertStringIncludes(text, `href="./do/change/decline?CHG=${id}"`);
    await doing("change decline", { CHG: id, "--reason": "Request it again" });
    assertEquals(await status(id), "declined");
  });

  it("adds, changes and removes an endpoint, retires its secret, and sends events again", async () => {
    const ID = partner.clientId;
    const added = await doing("endpoint add", { ID, "--url": "https://127.0.0.1:9/three" });
    assertStringIncludes(added.text, "whsec_");
    const endpoints = async () => itemsOf(await operator.done("endpoint", "list", ID));
    const { endpoint } = (await endpoints()).at(-1)!;
    const own = main(await page(`/partner/${ID}`));
    assertStringIncludes(own, `href="./do/endpoint/remove?ID=${ID}&amp;ENDPOINT=${endpoint}"`);
    assert(!own.includes(`href="./do/endpoint/remove?ID=${ID}&amp;ENDPOINT=1"`));
    const given = { ID, ENDPOINT: `${endpoint}` };
    await doing("endpoint set", { ...given, "--type": "order.executed\nday.closed" });
    assertEquals((await endpoints()).at(-1)!.types, "day.closed, order.executed");
    assertStringIncludes(await page("/do/endpoint/set"), 'type="checkbox" name="--all-types"');
    await doing("endpoint set", { ...given, "--all-types": "yes" });
    assertEquals((await endpoints()).at(-1)!.types, "all");

    await operator.done("webhook-secret", "rotate", ID, "--endpoint", `${endpoint}`, "--overlap", "1h");
    const secrets = async () =>
      itemsOf(await operator.done("webhook-secret", "list", ID)).filter((row) => row.endpoint === endpoint);
    const [old] = await secrets();
    const retiring = `./do/webhook-secret/retire?ID=${ID}&amp;SECRET_ID=${old!.secret_id}`;
    assertStringIncludes(await page(`/partner/${ID}`), `href="${retiring}"`);
    const { question } = await doing("webhook-secret retire", { ID, SECRET_ID: `${old!.secret_id}` });
    assertStringIncludes(question, "Retire");
    assertEquals((await secrets())[0]!.status, "retired");
    assertStringIncludes((await doing("endpoint remove", given)).question, "Remove the webhook endpoint");
    assertEquals((await endpoints()).some((row) => row.endpoint === endpoint), false);

    const replay = await doing("event replay", { ID, "--since": "2026-01-01T00:00:00.000Z" });
    assertStringIncludes(
      replay.question,
      "again? The partner receives delivered events a second time.",
      replay.text,
    );
    assertStringIncludes(replay.text, "Events");
  });

  it("shows which records are lost before it accepts that they are", async () => {
    const head = { client_id: partner.clientId, sequence: "1000", head: "ab".repeat(32) };
    const file = JSON.stringify({ items: [head] });
    const send = async (words: string) => {
      const path = `/do/${words.replace(" ", "/")}`;
      const body = new FormData();
      body.set("form", valueOf(await page(path), "form")!);
      body.set("--heads", new Blob([file]), "heads.json");
      const sent = new Request(console.origin, { method: "POST", body });
      const headers = { ...person, "content-type": sent.headers.get("content-type")! };
      return await console.send(path, new Uint8Array(await sent.arrayBuffer()), headers);
    };
    const shown = await send("recovery show");
    const lost = main((await console.get(shown.headers.location!, person, "")).text);
    assertStringIncludes(lost, "The database lacks these records.");
    assertStringIncludes(lost, "1000");
    const asked = main((await send("recovery accept")).text);
    assertStringIncludes(asked, "Accept that 1 ranges of records are lost?");
    assertStringIncludes(asked, "1000");
  });
});
