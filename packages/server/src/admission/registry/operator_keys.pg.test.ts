import { randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import { type RowDocument, storedRows } from "@gold-partner/approvals";
import { assertEquals, assertRejects } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import {
  approveSigned,
  newSignatory,
  proposeSigned,
  registerRootKeys,
  type Signatory,
} from "../../../testing/signed_proposals.ts";
import { suiteOperators } from "../../booking/operator_fixture.ts";
import { readOperatorKeys } from "./operator_keys.ts";

describe("OPERATOR_KEYS=off", () => {
  const books = suiteBooks();
  const operators = suiteOperators(books);
  let people: [Signatory, Signatory];
  before(async () => {
    people = [await newSignatory(operators[0]!.sql), await newSignatory(operators[1]!.sql)];
    await books.createClient();
  });

  /** Starts a process with `off`, and returns the settings of its warnings. */
  async function start(environment: "sandbox" | "production"): Promise<unknown[]> {
    const warned: unknown[] = [];
    const log = (_level: string, _event: string, fields?: { setting?: unknown }) =>
      void warned.push(fields?.setting);
    assertEquals(
      await readOperatorKeys(
        { environment, operatorKeys: undefined },
        log as never,
        books.connect("gold_api", 1),
      ),
      undefined,
    );
    return warned;
  }
  const refused = () =>
    assertRejects(() => start("production"), Error, "OPERATOR_KEYS: must be the absolute path");

  it("is accepted in production, with a warning, until two people have signed for every row", async () => {
    assertEquals(await start("production"), ["OPERATOR_KEYS"]);
    await registerRootKeys(books.sql, ...people);
    assertEquals(await start("production"), ["OPERATOR_KEYS"]);
    const [read] = await books.sql`select gold.read_rows() as rows`;
    const rows = storedRows(read!.rows as RowDocument);
    const proposal = await proposeSigned(people[0], "registry.adopt", { rows });
    assertEquals(await start("production"), ["OPERATOR_KEYS"]);
    await approveSigned(people[1], proposal);
    await refused();
  });

  it("stays refused after two people add a row, and in a sandbox it is always accepted", async () => {
    const [row] = await books.sql`select public_id from gold.partner limit 1`;
    const hash = randomBytes(32).toString("hex");
    const content = { client_id: row!.public_id, hash, overlap_seconds: 3600 };
    await approveSigned(people[1], await proposeSigned(people[0], "client_secret.rotate", content));
    await refused();
    assertEquals(await start("sandbox"), []);
  });
});
