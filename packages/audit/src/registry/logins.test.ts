import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { Findings } from "../findings.ts";
import { checkLogins } from "./logins.ts";

describe("checkLogins()", () => {
  it("accepts only what operators, the owner and each process of the service may write", () => {
    const trail: readonly (readonly [login: string, action: string, subject?: string, accepted?: boolean])[] =
      [
        ["owner", "operator.add", "amal", true],
        ["owner", "deployment.settle", "", true],
        ["amal", "partner.create", "", true],
        ["gold_api", "pepper.keep", "", true],
        ["gold_ticker", "market.halt", "", true],
        ["gold_simulation_maker", "deposit.record", "", true],
        ["owner", "operator_key.root", "", true],
        ["owner", "partner.set"],
        ["gold_api", "partner.set"],
        ["gold_ticker", "price.set"],
        ["gold_simulation_maker", "partner.set"],
        ["gold_delivery", "market.halt"],
        ["bader", "partner.set"],
        ["amal", "price.set", "", true],
        ["owner", "operator.remove", "amal", true],
        ["amal", "partner.set"],
      ];
    const notes = trail.map(([login, action, subject = ""], index) => ({
      ...{ id: BigInt(index), at: 0, login, action, subject, detail: { mode: "two" } },
    }));
    const findings = new Findings();
    checkLogins(findings, notes, "owner", true);
    assertEquals(
      findings.kept.map(({ rule, row, found }) => `${rule}: ${row}, ${found}`),
      trail.flatMap(([login, action, , accepted], index) =>
        accepted ? [] : [`login_is_admitted: audit ${index} ${action}, ${login}`]
      ),
    );
  });

  it("accepts the logins of simulations only in a sandbox", () => {
    const detail = { mode: "two_people" };
    const notes = ["maker", "checker"].map((name, index) => ({
      ...{
        id: BigInt(index),
        at: 0,
        login: `gold_simulation_${name}`,
        action: "deposit.record",
        subject: "",
        detail,
      },
    }));
    const found = (isSandbox: boolean) => {
      const findings = new Findings();
      checkLogins(findings, notes, "owner", isSandbox);
      return findings.total;
    };
    // The login of the first row may always set up the deployment.
    assertEquals([found(true), found(false)], [0, 1]);
  });
});
