import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";

const JUDGE = fileURLToPath(new URL("./check_openapi.py", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../../.tools/schemathesis", import.meta.url));
const JUDGING_MS = 120_000;

/** A document in which a test can change everything. */
interface Loose {
  [name: string]: Loose;
}

function judge(document: unknown): { status: number | null; seen: number; faults: string } {
  if (!existsSync(PACKAGES)) {
    throw new Error("The OpenAPI validators are not installed; run: node tools/run.mjs tools");
  }
  const { status, stdout, stderr } = spawnSync("python3", [JUDGE], {
    input: JSON.stringify(document),
    encoding: "utf8",
    timeout: JUDGING_MS,
    env: { ...process.env, PYTHONPATH: PACKAGES },
  });
  return { status, seen: Number(stdout), faults: stderr };
}

const written = (environment: "sandbox" | "production") =>
  openApiDocument({ baseUrl: "https://gold.example", environment });

/** Returns the errors that the validators find in the sandbox document after `spoil` has changed it. */
function checkSpoilt(spoil: (document: Loose) => void): string {
  const document = structuredClone(written("sandbox")) as unknown as Loose;
  spoil(document);
  const { status, faults } = judge(document);
  assertEquals(status, 1);
  return faults;
}

describe("the OpenAPI document, read by external validators", () => {
  it("is valid, and every example matches its schema, in both environments", () => {
    for (const environment of ["sandbox", "production"] as const) {
      const { status, seen, faults } = judge(written(environment));
      assertEquals([status, faults], [0, ""]);
      assert(seen > 1000, `${seen} examples`);
    }
  });

  it("fails the check if its structure is invalid", () => {
    assertMatch(checkSpoilt((document) => delete document["info"]), /^"info" is a required property$/m);
    const orders = (document: Loose) => document["paths"]!["/v1/orders/{order_id}"]!["get"]!;
    assertMatch(
      checkSpoilt((document) => delete orders(document)["parameters"]),
      /Path parameter 'order_id'/,
    );
  });

  it("fails the check if an example does not match its schema", () => {
    const faults = checkSpoilt((document) => {
      const { content } = document["paths"]!["/v1/quotes"]!["post"]!["requestBody"]!;
      Object.assign(content!["application/json"]!["examples"]!["buy_by_grams"]!["value"]!, {
        gold_grams: 0.00001,
      });
    });
    assertMatch(
      faults,
      /post \/v1\/quotes request .* buy_by_grams: 0\.00001 is less than the minimum of 0\.0001/,
    );
  });
});
