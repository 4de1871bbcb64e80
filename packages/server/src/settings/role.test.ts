import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { readRole, ROLES } from "./role.ts";

describe("readRole()", () => {
  it("returns the role that --role names, and all without --role", () => {
    assertEquals(readRole([]), "all");
    assertEquals(ROLES, ["all", "api", "delivery"]);
    for (const role of ROLES) {
      assertEquals([readRole(["--role", role]), readRole([`--role=${role}`])], [role, role]);
    }
  });

  it("returns undefined for an unknown role and for any other argument", () => {
    const wrong = [["--role"], ["--role", ""], ["--role", "API"], ["--rule", "api"], ["api"], [
      "--role",
      "api",
      "-x",
    ]];
    for (const args of wrong) assertEquals(readRole(args), undefined, args.join(" "));
  });
});
