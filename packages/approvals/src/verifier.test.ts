import { before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { newSoftwareKey, type SoftwareKey } from "../testing/mod.ts";
import { parseOperatorKeys } from "./operator_keys.ts";
import { APPROVAL_NAMESPACE, approvalText, PROPOSAL_NAMESPACE, proposalText } from "./texts.ts";
import { followKeys } from "./signed_registry.ts";
import { ApprovalVerifier, proposalSha256, type StoredApproval } from "./verifier.ts";

interface Person {
  readonly login: string;
  readonly key: SoftwareKey;
}

const ID = "production-6f1c0c1e-0b5d-4c3f-9a57-2f1f8d0a4b11";
const EARLIER = "production-0a2b0c1e-0b5d-4c3f-9a57-2f1f8d0a4b11";
type Content = StoredApproval["content"];

const DAY = (day: number) => `2026-01-${`${day}`.padStart(2, "0")}T09:00:00.000Z`;

describe("ApprovalVerifier", () => {
  let amal: Person;
  let badr: Person;
  let carla: Person;
  let count = 0;
  before(async () => {
    [amal, badr, carla] = await Promise.all(
      ["amal", "badr", "carla"].map(async (login) => ({ login, key: await newSoftwareKey() })),
    ) as [Person, Person, Person];
  });

  const trusted = () => {
    const lines = [amal, badr].map(({ login, key }) => `${login} ${key.publicKey.text}\n`);
    const text = `# deployment ${ID} https://api.example.com Riyadh
# earlier deployment ${EARLIER} until ${DAY(4)} 12 ${"00".repeat(32)}
${lines.join("")}`;
    return parseOperatorKeys(text);
  };
  const verifier = async (ends: readonly (readonly [Person, string])[] = []) => {
    const times = ends.map(([{ key }, at]) => [key.publicKey.fingerprint, Date.parse(at)] as const);
    return new ApprovalVerifier(await trusted(), new Map(times));
  };
  async function approved(
    by: Person,
    approver: Person,
    day: number,
    kind = "market.open",
    content: Content = {},
    deployment: string | null = ID,
  ): Promise<StoredApproval> {
    const id = `${count++}`;
    const proposer = by.login;
    const proposal = {
      deployment,
      id,
      kind,
      proposer,
      proposedAt: DAY(day),
      expiresAt: DAY(day + 3),
      content,
    };
    const text = proposalText(proposal);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const sha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return {
      ...proposal,
      approver: approver.login,
      approvedAt: DAY(day + 1),
      proposerSignature: await by.key.sign(text, { namespace: PROPOSAL_NAMESPACE }),
      approverSignature: await approver.key.sign(
        approvalText({ deployment, id, sha256, approver: approver.login }),
        {
          namespace: APPROVAL_NAMESPACE,
        },
      ),
    };
  }
  const adding = (by: Person, approver: Person, day: number, { login, key }: Person) =>
    approved(by, approver, day, "operator_key.add", { login, public_key: key.publicKey.text });

  it("accepts two of the first keys", async () => {
    assertEquals(await (await verifier()).verify(await approved(amal, badr, 2)), undefined);
  });

  it("accepts a third key after two people approved it, and not before", async () => {
    const chain = await verifier();
    const change = await approved(carla, amal, 10);
    assertMatch(`${await chain.verify(change)}`, /was not a key of carla at that time/);
    assertEquals(await chain.verify(await adding(amal, badr, 5, carla)), undefined);
    assertEquals(await chain.verify(change), undefined);
    assertMatch(`${await chain.verify(await approved(carla, amal, 3))}`, /was not a key of carla/);
  });

  it("refuses a key approved by one person or an unknown key, or registered for another login", async () => {
    const chain = await verifier();
    assertMatch(`${await chain.verify(await adding(amal, amal, 5, carla))}`, /the same login/);
    const second = { login: "badr", key: amal.key };
    assertMatch(`${await chain.verify(await adding(amal, second, 5, carla))}`, /was not a key of badr/);
    assertMatch(`${await chain.verify(await adding(carla, amal, 5, carla))}`, /was not a key of carla/);
    const again = { login: "carla", key: amal.key };
    assertMatch(`${await chain.verify(await adding(amal, badr, 5, again))}`, /belongs to a login already/);
    assertMatch(`${await chain.verify(await approved(carla, amal, 10))}`, /was not a key of carla/);
  });

  it("accepts what a key signed before its end, and nothing after it", async () => {
    const chain = await verifier([[badr, DAY(7)]]);
    assertEquals(await chain.verify(await approved(amal, badr, 2)), undefined);
    assertMatch(
      `${await chain.verify(await approved(amal, badr, 10))}`,
      /was not a key of badr at that time/,
    );
  });

  it("rejects what was signed for another deployment or for none, whatever the database says", async () => {
    const chain = await verifier();
    const foreign = ID.replace("production", "sandbox");
    for (const given of [foreign, null]) {
      const made = await approved(amal, badr, 2, "price.set", {}, given);
      assertMatch(
        `${await chain.verify(made)}`,
        /The text names (the deployment sandbox|no deployment, and two people have not signed)/,
      );
      assertMatch(`${await chain.verify({ ...made, deployment: ID })}`, /did not sign this text/);
    }
  });

  describe("of version 1", () => {
    const listing = async (by: Person, approver: Person, ...old: readonly StoredApproval[]) => {
      const approvals = await Promise.all(old.map(async (one) => [one.id, await proposalSha256(one)]));
      return await approved(by, approver, 10, "approval.adopt", { approvals });
    };
    const old = (kind: string, content: Content = {}) => approved(amal, badr, 2, kind, content, null);
    const faultOf = async (approval: StoredApproval, approvals: readonly StoredApproval[]) => {
      const chain = await followKeys(await trusted(), { ends: {}, approvals });
      return await chain.verify(approval);
    };

    it("count only if a list with the id and the hash of their text has two signatures", async () => {
      const price = await old("price.set", { mid: "1" });
      const list = await listing(amal, badr, price);
      assertMatch(
        `${await faultOf(price, [])}`,
        /names no deployment, and two people have not signed a list/,
      );
      assertEquals(await faultOf(price, [price, list]), undefined);
      const edited = { ...price, content: { mid: "2" } };
      for (
        const [one, other] of [
          [price, await listing(amal, badr, edited)],
          [price, await listing(amal, amal, price)],
          [price, { ...list, content: { approvals: [[price.id, await proposalSha256(edited)]] } }],
          [edited, list],
        ] as const
      ) assertMatch(`${await faultOf(one, [other])}`, /have not signed a list/);
    });

    it("add keys that count after the list, but that cannot sign the list", async () => {
      const key = await old("operator_key.add", { login: "carla", public_key: carla.key.publicKey.text });
      const change = await approved(carla, amal, 12);
      assertEquals(await faultOf(change, [key, await listing(amal, badr, key)]), undefined);
      assertMatch(
        `${await faultOf(change, [key, await listing(carla, badr, key)])}`,
        /was not a key of carla/,
      );
    });

    it("may add a key that people have written into the file meanwhile", async () => {
      const key = await old("operator_key.add", { login: "badr", public_key: badr.key.publicKey.text });
      assertEquals(await faultOf(key, [await listing(amal, badr, key)]), undefined);
    });
  });

  it("accepts a text of an earlier id only if it was proposed before this id ended", async () => {
    const chain = await verifier();
    assertEquals(await chain.verify(await approved(amal, badr, 4, "price.set", {}, EARLIER)), undefined);
    const late = await approved(amal, badr, 5, "price.set", {}, EARLIER);
    assertMatch(`${await chain.verify(late)}`, /is later than the end of the deployment production-0a2b/);
  });

  it("rejects an approval whose text, signer or time was edited", async () => {
    const chain = await verifier();
    const made = await approved(amal, badr, 2);
    const edits: readonly (readonly [Partial<StoredApproval>, RegExp])[] = [
      [{ content: { edited: "yes" } }, /did not sign this text/],
      [{ id: "another" }, /did not sign this text/],
      [{ proposer: "badr" }, /the same login/],
      [{ approver: "carla" }, /was not a key of carla/],
      [{ approverSignature: null }, /badr has not signed/],
      [{ approverSignature: made.proposerSignature }, /was not a key of badr/],
      [{ approvedAt: DAY(5) }, /not between the proposal and its end/],
      [{ approvedAt: "infinity" }, /not between the proposal and its end/],
    ];
    for (const [edit, expected] of edits) {
      assertMatch(`${await chain.verify({ ...made, ...edit })}`, expected);
    }
    assertEquals(await chain.verify(made), undefined);
  });
});
