import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { after, before, CANONICAL, clean, expectEach, expectViolation, find, PRICE } from "./sample_tree.ts";

describe("imports flow one way", () => {
  it("reports nothing for a clean repository", async () => {
    assertEquals(await find({}), []);
  });

  const flow = "imports flow one way";
  const against = "against the import direction";
  const importing = (specifier: string) => before(CANONICAL, `import "${specifier}";`);

  it("rejects an import against the direction, even if it imports only types", async () => {
    await expectEach(flow, against, [
      importing("@gold-partner/jws"),
      before(CANONICAL, `import type { Sign } from "@gold-partner/jws";`),
      { [CANONICAL]: `export * from "@gold-partner/jws";` },
      { [CANONICAL]: `export const x = import("@gold-partner/jws");` },
      { [CANONICAL]: `export type X = import("@gold-partner/jws").Sign;` },
    ]);
  });

  it("rejects an import of an internal file of another package", async () => {
    const deep = before(PRICE, `import "@gold-partner/canonical/src/canonical.ts";`);
    await expectViolation(flow, "only entry point", deep);
    const relative = before(PRICE, `import "../../canonical/src/canonical.ts";`);
    await expectViolation(flow, "by its package name", relative);
  });

  it("rejects require, createRequire and imports of computed names, also in a package's tests", async () => {
    for (const hidden of ["import(`@gold-partner/${name}`);", `import("@gold-" + "partner/jws");`]) {
      const places = [after(PRICE, hidden), { "packages/jws/src/a.test.ts": hidden }];
      await expectEach(flow, "computes the name of an import", places);
      assertEquals(await find({ "tools/a.ts": hidden }), []);
    }
    await expectViolation(flow, "uses createRequire", {
      "packages/jws/src/a.test.ts":
        `import { createRequire } from "node:module";\ncreateRequire("@gold-partner/protocol");`,
    });
    await expectViolation(flow, "uses require", after(PRICE, `require("@gold-partner/jws");`));
  });

  it("rejects a relative import of another package, except from k6 scripts", async () => {
    await expectEach(flow, against, ["../../jws/src/mod.ts", "../../../loadtest/order.ts"].map(importing));
    assertEquals(await find({ "loadtest/order.ts": clean("loadtest/order.ts") }), []);
  });

  it("allows only the packages that FLOW lists to import the server, and only its entry point", async () => {
    const server = {
      "packages/server/package.json": clean("packages/canonical/package.json").replace("canonical", "server"),
      "packages/server/src/mod.ts": "export {};",
    };
    const says = "imports @gold-partner/server against the import direction";
    for (const folder of ["packages/protocol", "packages/client", "packages/sidecar", "vectors"]) {
      await expectViolation(flow, says, {
        ...server,
        [`${folder}/src/x.ts`]: `import "@gold-partner/server";`,
      });
    }
    for (const folder of ["packages/operator", "packages/dev", "tools/bench", "tools"]) {
      const found = await find({ ...server, [`${folder}/src/x.ts`]: `import "@gold-partner/server";` });
      assertEquals(found.filter((violation) => violation.startsWith(flow)), []);
      await expectViolation(flow, "only entry point", {
        ...server,
        [`${folder}/src/x.ts`]: `import "@gold-partner/server/src/main.ts";`,
      });
    }
  });

  it("rejects a file of the server that imports from a later folder, also among subfolders", async () => {
    const step = (from: string, to: string) => ({
      [`packages/server/src/${from}`]: `import "${from.includes("/") ? "../../" : "./"}${to}";`,
    });
    await expectEach(flow, "a later step", [
      step("admission/identity/a.ts", "admission/token/b.ts"),
      step("admission/signature/a.ts", "booking/nonce/b.ts"),
      step("booking/outbox/a.ts", "delivery/b.ts"),
    ]);
    const earlier = [
      step("booking/nonce/a.ts", "admission/token/b.ts"),
      step("order_route.ts", "delivery/b.ts"),
    ];
    for (const files of earlier) {
      assertEquals((await find(files)).filter((violation) => violation.startsWith(flow)), []);
    }
  });

  it("rejects a folder of the server that MODULES does not list", async () => {
    for (const folder of ["packages/server/src/attic", "packages/server/src/booking/attic"]) {
      await expectViolation(flow, `is in ${folder}, which is missing`, { [`${folder}/a.ts`]: "" });
    }
  });
});
