import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openApiDocument } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { haltService } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { testCalls } from "./client_calls_fixture.ts";
import { testStreams } from "./client_streams_fixture.ts";
import { PYTHON_PACKAGE, PythonClient, PythonEnvironment } from "./python_client_fixture.ts";
import { type ClientPlan, type Survival, testSurvival } from "./survival_fixture.ts";

describe("the Python client", () => {
  let python: PythonEnvironment;
  let stack: Stack;

  before(async () => {
    python = await PythonEnvironment.create("mypy");
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  after(async () => {
    await stack?.close();
    await python?.remove();
  });

  it("has complete types, for itself and for its users", async () => {
    assertStringIncludes(await python.run(["-m", "mypy", "src", "tests"]), "no issues found");
    const folder = temporaryFolder("gold-python");
    const program = join(folder, "program.py");
    await writeFile(
      program,
      [
        "from gold_partner import GoldClient",
        "client = GoldClient.from_env()",
        `reveal_type(client.place_order("qt_1", idempotency_key="1")["balances"]["sar"]["held"])`,
        "client.place_order(17)",
        `client.create_quote("buy", gold_grams=1.5)`,
      ].join("\n"),
    );
    const { message } = await assertRejects(() => python.run(["-m", "mypy", "--strict", program]), Error);
    assertMatch(message, /:3: note: Revealed type is "decimal\.Decimal"/);
    assertMatch(message, /:4: error: Argument 1 has incompatible type "int"; expected "str"/);
    assertMatch(message, /:5: error: Argument "gold_grams" has incompatible type "float"/);
    assertMatch(message, /Found 2 errors/);
  });

  it("passes its own tests: the vectors, the types of replies, and calls over a scripted transport", async () => {
    const document = join(python.folder, "openapi.json");
    const options = { baseUrl: "https://gold.example", environment: "sandbox" } as const;
    await writeFile(document, JSON.stringify(openApiDocument(options)));
    const output = await python.run(["-m", "unittest", "discover", "-s", "tests"], {
      GOLD_OPENAPI: document,
    });
    const [, count] = /Ran (\d+) tests/.exec(output) ?? [];
    assert(Number(count) >= 68, output);
  });

  it("has the version of the other packages", async () => {
    const root = JSON.parse(await readFile(join(PYTHON_PACKAGE, "../package.json"), "utf8"));
    const program = "import importlib.metadata; print(importlib.metadata.version('gold-partner'))";
    assertEquals((await python.run(["-c", program])).trim(), root.version.replace("-dev", ".dev0"));
  });

  for (const kind of ["sync", "async"] as const) {
    const name = kind === "sync" ? "GoldClient" : "AsyncGoldClient";
    const open = (plan: ClientPlan) => {
      const { client_id } = stack.partner.credentials;
      const credentials = stack.running.state.path("partners", client_id, "credentials.json");
      return new PythonClient(python, kind, credentials, plan);
    };
    describe(`${name}, with the running service`, () => testCalls(kind, () => ({ stack, open })));
    describe(`${name}, when the service or the network fails`, () => {
      const tools = testSurvival(() => ({ stack, open }));
      testStreams(() => stack, tools);
      if (kind === "async") testCancelling(() => stack, tools);
    });
  }
});

function testCancelling(
  stack: () => Stack,
  { open, openRelay, takeQuote, newOrders }: Survival<PythonClient>,
): void {
  it("executes an order once if its task was cancelled, and the caller repeats it with its key", async () => {
    const relay = await openRelay();
    const client = await open({ port: relay.port });
    const order = { ...await takeQuote(client), idempotency_key: "cancelled" };
    const mend = await haltService(stack());
    const heard = relay.heardBytes;
    const placed = client.call("place_order", order);
    while (relay.heardBytes === heard) await new Promise((resolve) => setTimeout(resolve, 20));
    client.cancel();
    assertEquals(await placed, "cancelled");
    await mend();
    assertEquals((await client.call("place_order", order)).quote_id, order.quote_id);
    assertEquals(await newOrders(), 1);
  });
}
