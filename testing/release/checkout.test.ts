import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Checkout, checkOut } from "./checkout.ts";
import { lastRelease } from "./history.ts";

describe("a checkout of the last release", () => {
  let checkout: Checkout;
  before(async () => {
    checkout = await checkOut(lastRelease().commit);
  });
  after(() => checkout?.remove());

  it("resolves this project's packages to its own copies, and other packages to the installed ones", () => {
    const resolve = (name: string) => realpathSync(join(checkout.root, "node_modules", name));
    assertEquals(
      resolve("@gold-partner/server"),
      realpathSync(join(checkout.root, "packages", "server")),
    );
    assertEquals(resolve("@std/assert"), realpathSync(join(checkout.root, "packages", "std_assert")));
    assert(existsSync(join(resolve("zod"), "package.json")));
  });

  it("runs its programs without another installation", () => {
    const args = process.versions["deno"] === undefined ? [] : ["run", "-A"];
    const printed = execFileSync(process.execPath, [...args, "tools/run.mjs", "gold", "--help"], {
      cwd: checkout.root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    assert(printed.includes("gold partner"), printed);
  });

  it("removes everything that it created", async () => {
    const another = await checkOut(checkout.commit);
    assertEquals(another.commit, checkout.commit);
    await another.remove();
    assert(!existsSync(another.root));
    await assertRejects(() => checkOut("no-such-commit"), Error, "has no commit no-such-commit");
  });
});
