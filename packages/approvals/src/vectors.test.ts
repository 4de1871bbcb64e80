import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import makeApproval from "../../../vectors/make/approval.ts";
import { approvalText, proposalText } from "./mod.ts";

describe("the texts that operators sign", () => {
  it("agree with the vectors, for both versions", () => {
    for (const given of makeApproval().cases as Record<string, string>[]) {
      const { deployment = null, id, kind, proposer, proposed_at, expires_at, content, approver } = given;
      const text = proposalText({
        ...{ deployment, id: id!, kind: kind!, proposer: proposer!, content: JSON.parse(content!) },
        ...{ proposedAt: proposed_at!, expiresAt: expires_at! },
      });
      assertEquals(text, given.proposal_text, given.name);
      const sha256 = createHash("sha256").update(text).digest("hex");
      assertEquals(sha256, given.sha256, given.name);
      const approval = approvalText({ deployment, id: id!, sha256, approver: approver! });
      assertEquals(approval, given.approval_text, given.name);
    }
  });
});
