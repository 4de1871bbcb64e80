import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { CANONICAL, clean, expectOffence, find, PRICE } from "./planted_tree.ts";

describe("imports flow one way", () => {
  it("finds nothing in a clean house", async () => {
    assertEquals(await find({}), []);
  });

  const flow = "imports flow one way";
  const importing = (specifier: string) => ({ [CANONICAL]: `import "${specifier}";\n${clean(CANONICAL)}` });

  it("refuses a lower package that imports a higher one, types included", async () => {
    await expectOffence(flow, "against the flow", importing("@gold-partner/jws"));
    const typed = `import type { Sign } from "@gold-partner/jws";\n${clean(CANONICAL)}`;
    await expectOffence(flow, "against the flow", { [CANONICAL]: typed });
    await expectOffence(flow, "against the flow", { [CANONICAL]: `export * from "@gold-partner/jws";` });
    await expectOffence(flow, "against the flow", {
      [CANONICAL]: `export const x = import("@gold-partner/jws");`,
    });
    const inline = `export type X = import("@gold-partner/jws").Sign;`;
    await expectOffence(flow, "against the flow", { [CANONICAL]: inline });
  });

  it("refuses a door into a sibling's inside", async () => {
    const deep = `import "@gold-partner/canonical/src/canonical.ts";\n${clean(PRICE)}`;
    await expectOffence(flow, "one door", { [PRICE]: deep });
    await expectOffence(flow, "by its package name", {
      [PRICE]: `import "../../canonical/src/canonical.ts";\n${clean(PRICE)}`,
    });
  });

  it("refuses an import that hides what it imports, in a package's tests, too", async () => {
    for (const hidden of ["import(`@gold-partner/${name}`);", `import("@gold-" + "partner/jws");`]) {
      await expectOffence(flow, "computes what it imports", { [PRICE]: `${clean(PRICE)}\n${hidden}` });
      await expectOffence(flow, "computes what it imports", { "packages/jws/src/a.test.ts": hidden });
      assertEquals(await find({ "tools/a.ts": hidden }), []);
    }
    await expectOffence(flow, "uses createRequire", {
      "packages/jws/src/a.test.ts":
        `import { createRequire } from "node:module";\ncreateRequire("@gold-partner/protocol");`,
    });
    await expectOffence(flow, "uses require", { [PRICE]: `${clean(PRICE)}\nrequire("@gold-partner/jws");` });
  });

  it("refuses a path out of a package, and lets k6's scripts take the signing code by path", async () => {
    await expectOffence(flow, "against the flow", importing("../../jws/src/mod.ts"));
    await expectOffence(flow, "against the flow", importing("../../../loadtest/order.ts"));
    assertEquals(await find({ "loadtest/order.ts": clean("loadtest/order.ts") }), []);
  });

  it("lets only those on top import the server, by its one door", async () => {
    const server = {
      "packages/server/package.json": clean("packages/canonical/package.json").replace("canonical", "server"),
      "packages/server/src/mod.ts": "export {};",
    };
    const says = "imports @gold-partner/server against the flow";
    for (const folder of ["packages/protocol", "packages/client", "packages/sidecar", "vectors"]) {
      await expectOffence(flow, says, {
        ...server,
        [`${folder}/src/x.ts`]: `import "@gold-partner/server";`,
      });
    }
    for (const folder of ["packages/operator", "packages/dev", "bench", "tools"]) {
      const found = await find({ ...server, [`${folder}/src/x.ts`]: `import "@gold-partner/server";` });
      assertEquals(found.filter((offence) => offence.startsWith(flow)), []);
      await expectOffence(flow, "a sibling has one door", {
        ...server,
        [`${folder}/src/x.ts`]: `import "@gold-partner/server/src/main.ts";`,
      });
    }
  });

  it("refuses a room that imports a later one, within a wing and across", async () => {
    const room = (from: string, to: string) => ({
      [`packages/server/src/${from}`]: `import "${from.includes("/") ? "../../" : "./"}${to}";`,
    });
    await expectOffence(flow, "a later room", room("admission/identity/a.ts", "admission/token/b.ts"));
    await expectOffence(flow, "a later room", room("admission/signature/a.ts", "booking/nonce/b.ts"));
    await expectOffence(flow, "a later room", room("booking/outbox/a.ts", "delivery/b.ts"));
    for (
      const [from, to] of [["booking/nonce/a.ts", "admission/token/b.ts"], [
        "order_route.ts",
        "delivery/b.ts",
      ]]
    ) {
      const found = await find(room(from ?? "", to ?? ""));
      assertEquals(found.filter((offence) => offence.startsWith(flow)), []);
    }
  });

  it("keeps @std/assert to the tests", async () => {
    const assertions = {
      "packages/std_assert/package.json": clean("packages/jws/package.json").replace(
        "@gold-partner/jws",
        "@std/assert",
      ),
    };
    await expectOffence(flow, "for tests alone", { ...assertions, ...importing("@std/assert") });
  });
});
