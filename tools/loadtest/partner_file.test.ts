import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "../testing/assert.ts";
import { MissingError, readPartners } from "./partner_file.ts";

describe("readPartners()", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-partners-"));
    for (const [name, client_id] of Object.entries({ "0": "first", "1": "second", "2": "first" })) {
      const rest = { base_url: "", webhook_secret: "", ca_pem: "", cert_pem: "", key_pem: "" };
      await writeFile(join(folder, `partner-${name}.json`), JSON.stringify({ client_id, ...rest }));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("reads the file of each partner", async () => {
    const partners = await readPartners(folder, ["0", "1"], "prepare");
    assertEquals(partners.map(({ client_id }) => client_id), ["first", "second"]);
  });

  it("names a missing file, and a file with the same partner as an earlier file", async () => {
    await assertRejects(() => readPartners(folder, ["0", "7"], "prepare"), MissingError, "partner-7.json");
    await assertRejects(
      () => readPartners(folder, ["0", "1", "2"], "prepare"),
      MissingError,
      "partner-2.json",
    );
  });
});
