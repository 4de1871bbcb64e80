import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { Failure } from "./failure.ts";
import { operatorKeyFile } from "./run_file.ts";
import { findSshKey } from "./ssh_key.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const [FIRST, SECOND] = ["postgres://one:secret@127.0.0.1:1/gold", "postgres://two:secret@127.0.0.1:1/gold"];

describe("findSshKey()", () => {
  const stateDir = temporaryFolder("gold-ssh-key");
  before(async () => {
    await mkdir(join(stateDir, "keys"));
    for (const person of ["first", "second"] as const) await writeFile(operatorKeyFile(stateDir, person), "");
  });

  it("returns no key for a login that no run.json assigns to a person", async () => {
    const error = await assertRejects(() => findSshKey({}, stateDir, SECOND, false), Failure);
    assertEquals(error.code, "ssh_key_unknown");
  });

  it("returns the key of the person with this login", async () => {
    const run = { database_url: FIRST, second_database_url: SECOND };
    await writeFile(join(stateDir, "run.json"), JSON.stringify(run));
    assertEquals(await findSshKey({}, stateDir, FIRST, false), operatorKeyFile(stateDir, "first"));
    assertEquals(await findSshKey({}, stateDir, SECOND, false), operatorKeyFile(stateDir, "second"));
  });
});
