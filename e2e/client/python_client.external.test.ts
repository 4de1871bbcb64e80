import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { Relay } from "../../prove/relay.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLIENT = join(ROOT, "docs/examples/python_client");
const FIXTURE = fileURLToPath(new URL("./python_client_fixture.py", import.meta.url));
/** The folder of this external tool also contains `cryptography`. */
const PACKAGES = join(ROOT, ".tools/schemathesis");
const RUN_MS = 180_000;

interface Run {
  line(): Promise<string>;
  say(line: string): void;
  /**
   * Returns the printed lines that were not read yet. Throws an error with the program's stderr unless it
   * exited with 0.
   */
  ended(): Promise<string[]>;
}

function python(...words: string[]): Run {
  const child = spawn("python3", ["-B", ...words], {
    env: { PATH: process.env.PATH ?? "", PYTHONPATH: PACKAGES },
    stdio: "pipe",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), RUN_MS);
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => complaint += text);
  child.stdin.on("error", () => {});
  const exited = once(child, "close").finally(() => clearTimeout(timer));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The Python program exited.\n${complaint}`);
      return value;
    },
    say: (line) => child.stdin.write(`${line}\n`),
    async ended() {
      const rest: string[] = [];
      for await (const line of { [Symbol.asyncIterator]: () => lines }) rest.push(line);
      const [code] = await exited;
      if (code !== 0) {
        throw new Error(
          `The Python program exited with ${code}. Packages missing? Run: node tools/run.mjs tools\n${complaint}`,
        );
      }
      return rest;
    },
  };
}

const asking = (...words: string[]): Run => python(FIXTURE, CLIENT, ...words);
const answerOf = async (run: Run) => JSON.parse((await run.ended()).at(-1)!) as Record<string, unknown>;

describe("the Python example client", () => {
  let stack: Stack;
  let credentials: string;

  before(async () => {
    stack = await Stack.open();
    await stack.operator("price set --mid 500 --spread 60");
    credentials = stack.running.state.path(
      "partners",
      stack.partner.credentials.client_id,
      "credentials.json",
    );
  });
  after(() => stack?.close());

  it("runs on the version of cryptography that its requirements name", async () => {
    const [version] = await python("-c", "import cryptography; print(cryptography.__version__)").ended();
    assertEquals(await readFile(join(CLIENT, "requirements.txt"), "utf8"), `cryptography==${version}\n`);
  });

  it("agrees with the test vectors of requests, signatures, quantities and webhooks", async () => {
    const { asked, differences } = await answerOf(asking("vectors"));
    assertEquals(differences, []);
    const { canonical_request, detached_jws, money, webhook } = asked as Record<string, number>;
    assert(canonical_request! >= 46 && detached_jws! >= 5 && money! >= 20 && webhook! >= 41);
  });

  it("trades, and prints what its README shows", async () => {
    const page = await readFile(join(CLIENT, "README.md"), "utf8");
    const [, shown = ""] = /```text\n([^]*?)```/.exec(page) ?? [];
    const printed = await python(join(CLIENT, "example.py"), credentials).ended();
    assertEquals(printed.map((line) => line.replace(/ord_[0-9a-f-]+/, "ord_…")), shown.trim().split("\n"));
    const { sar, gold } = await stack.partner.succeed("getBalances");
    assertEquals({ sar, gold }, { sar: { available: 8497, held: 1000 }, gold: { grams: 1 } });
  });

  it("places an order once if the connection breaks between execution and reply", async () => {
    const relay = await Relay.open(Number(new URL(stack.running.baseUrl).port));
    try {
      const run = asking("order_over", credentials, `${relay.port}`);
      assertEquals(await run.line(), '"ready"');
      relay.withhold();
      run.say("order");
      const query = { idempotency_key: `order-over-${relay.port}` };
      const booked = async (reply: Response) =>
        (await reply.json() as { items: readonly unknown[] }).items.length > 0;
      await stack.partner.until(booked, "listOrders", { query });
      relay.cut();
      relay.pass();
      const order = await answerOf(run);
      const { items } = await stack.partner.succeed("listOrders", { query });
      assertEquals((items as { order_id: string }[]).map(({ order_id }) => order_id), [order.order_id]);
      assertEquals(order.grams, "0.25");
      const { gold } = await stack.partner.succeed("getBalances");
      assertEquals(gold, { grams: 1.25 });
    } finally {
      await relay.close();
    }
  });

  for (const [seconds, side] of [[-1000, "behind"], [1000, "ahead of"]] as const) {
    it(`reports a clock that is ${side} the service's, and retries nothing`, async () => {
      const { detail, request_id, ...error } = await answerOf(
        asking("refused_by_clock", credentials, `${seconds}`),
      );
      assertEquals(error, { code: "timestamp_out_of_window", status: 401, retryable: false });
      assertMatch(`${detail}`, new RegExp(`(99|100)\\d seconds ${side} .*NTP`));
      assertMatch(`${request_id}`, /^req_/);
    });
  }

  it("waits as Retry-After says, and fetches a new token if the old one is rejected", async () => {
    const { client_id } = stack.partner.credentials;
    await stack.operator("partner set --rate 2/s --burst 2", client_id);
    await stack.partner.until((reply) => reply.status === 429);
    const { by_rate, by_token } = await answerOf(asking("pauses", credentials, "8"));
    assert((by_rate as number[]).length >= 1);
    for (const seconds of by_rate as number[]) assert(Number.isInteger(seconds) && seconds >= 1);
    assert((by_token as number) >= 1);
  });
});
