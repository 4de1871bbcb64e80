import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { listFiles } from "./check/tree.ts";
import { ROOT } from "./test/tier.ts";

const SERVER = "packages/server/src";
/** The edits of the recipe: the file, a text in it, and the text that is inserted before that text. */
const EDITS: readonly (readonly [file: string, at: string, added: string])[] = [
  [
    "packages/protocol/src/schema/order.ts",
    "} as const;\n\nexport const orderRequest",
    '  sample_text: partnerText({ name: "sample_text", says: "A sample.", short: "A sample" }),\n',
  ],
  [
    `${SERVER}/database/schema/books.ts`,
    '}, (t) => [\n  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),\n  index("orders_newest")',
    "  sampleText: text(),\n",
  ],
  [
    `${SERVER}/booking/trading/book_orders.ts`,
    ")\n      order by item",
    ",\n        sample_texts => ${column(items, ({ asked }) => asked.sample_text)}::text::text[]",
  ],
  [
    `${SERVER}/booking/trading/book_orders.sql`,
    "\n) returns setof gold.outcome",
    ", sample_texts text[] default null",
  ],
  [`${SERVER}/booking/trading/book_orders.sql`, ")\n      with ordinality", ", sample_texts"],
  [
    `${SERVER}/booking/trading/book_orders.sql`,
    ", n)\n    left join lateral (select * from nonce",
    ", sample_text",
  ],
  [`${SERVER}/booking/trading/book_orders.sql`, "      -- An order inherits", "      i.sample_text,\n"],
  [`${SERVER}/booking/trading/book_orders.sql`, ");\n      body :=", ", item.sample_text"],
  [`${SERVER}/booking/trading/book_orders.sql`, ")\n    select bucket, client_id, side", ", sample_text"],
  [
    `${SERVER}/booking/trading/book_orders.sql`,
    "\n    from unnest(executed)\n    returning",
    ", sample_text",
  ],
  [`${SERVER}/reads/read_statement.sql`, "\n      from (\n        -- The limit", ", o.sample_text"],
];
const GENERATED = [
  "packages/client/src/api_types.ts",
  "packages/client/python/src/gold_partner/records.py",
  "packages/client/java/src/main/java/gold/partner/Api.java",
  "packages/client/csharp/src/Types.cs",
  `${SERVER}/reads/record_members.sql`,
];
/** The first books and audits orders with every text of ORDER, and orders that lost one. */
const SUITES = [
  "packages/audit/src/books/requests.pg.test.ts",
  `${SERVER}/database/plain_text.pg.test.ts`,
  `${SERVER}/routes/statement.pg.test.ts`,
];

/** Follows CONTRIBUTING's recipe for a field of orders in a copy of the repository. */
describe("the recipe for a field of orders", () => {
  let copy: string;
  const inCopy = (...command: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: "utf8" });
    assertEquals(status, 0, `${command.join(" ")}\n${stdout}${stderr}`);
  };
  before(() => {
    copy = mkdtempSync(join(tmpdir(), "gold-recipe-"));
    for (const file of listFiles(ROOT)) cpSync(join(ROOT, file), join(copy, file));
    const modules = join(copy, "node_modules");
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, "node_modules"))) {
      const [from, to] = [join(ROOT, "node_modules", name), join(modules, name)];
      // The packages of the copy import each other, and not those of the repository.
      if (name === "@gold-partner") cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      else symlinkSync(from, to);
    }
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  it("reaches requests, rows, replies, clients and the audit", () => {
    for (const [file, at, added] of EDITS) {
      const text = readFileSync(join(copy, file), "utf8");
      assertEquals(text.split(at).length, 2, `${file} does not have this text once: ${at}`);
      writeFileSync(join(copy, file), text.replace(at, () => added + at));
    }
    inCopy("node_modules/drizzle-kit/bin.cjs", "generate", "--name", "sample_text");
    inCopy("--import", "tsx", "tools/docs.ts");
    for (const file of GENERATED) {
      assert(/sample_text|sampleText/.test(readFileSync(join(copy, file), "utf8")), file);
    }
    for (const suite of SUITES) inCopy("--import", "tsx", "--test", suite);
  });
});
