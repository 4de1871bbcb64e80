import { Buffer } from "node:buffer";
import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { memberOf } from "../stage/wire.ts";
import type { RotatingPartner } from "./connected_partner.ts";
import { CERTIFICATE_ENDED, forOthers, issueCertificate, type Rotation } from "./rotation.ts";

/** According to the operator's guide, each Envoy has the new authority after this time. */
const TRUST_MS = 2000;
/** How long the proof waits after the new token key begins. By then, every process of the service uses it. */
const CLOCKS_MS = 1000;

const authority: Rotation = {
  name: "certificate authority",
  async renew(target) {
    const { operator, state } = target.deployment;
    const { fingerprint } = await operator(
      "key rotate ca",
      "--key",
      state.path("pki", `${randomUUID()}.pem`),
    );
    const { change } = await issueCertificate(target);
    await sleep(TRUST_MS);
    return {
      change,
      tried: ["write", "read", "handshake"],
      refused: CERTIFICATE_ENDED,
      retire: () =>
        forOthers(target, "ca list", "fingerprint", fingerprint, (old) => operator("ca retire", old)),
    };
  },
};

const tokenKey: Rotation = {
  name: "token key",
  async renew({ deployment: { operator } }) {
    const { kid, lead_seconds } = await operator("key rotate token");
    await sleep(lead_seconds as number * 1000 + CLOCKS_MS);
    return {
      change: {},
      // Try writes and reads only, and no tokens. Tokens that the older key signed stay valid for their ten
      // minutes.
      tried: ["write", "read"],
      refused: {},
      check: async (partner) => ({
        what: "the signing key of a new token checked",
        violations: await readTokenKid(partner) === kid ? [] : ["a new token is not signed by the new key"],
      }),
    };
  },
};

const sealingKey: Rotation = {
  name: "sealing key",
  async renew({ deployment: { operator, state } }) {
    const file = state.path("keys", "sealing_key");
    const older = await readFile(file, "utf8");
    const first = randomBytes(32).toString("hex");
    await state.writePrivate(file, `${first}\n${older}`);
    await operator("key rotate webhook-kek");
    // Nothing is left to change, so this is no proposal.
    const { resealed } = await operator("key rotate webhook-kek");
    return {
      change: {},
      tried: ["write", "read", "token"],
      refused: {},
      retire: () => state.writePrivate(file, `${first}\n`),
      check: async () => ({
        what: "all webhook secrets are encrypted with the new key",
        violations: resealed === 0
          ? []
          : [`${resealed} webhook secrets were still encrypted with an older key`],
      }),
    };
  },
};

/** The rotations of the operator's own credentials. */
export const OPERATOR_ROTATIONS: readonly Rotation[] = [authority, tokenKey, sealingKey];

async function readTokenKid({ current }: RotatingPartner): Promise<string | undefined> {
  const reply = await current.send((trader) => trader.tokenRequest());
  if (typeof reply === "string" || reply.status !== 200) return undefined;
  const [header = ""] = memberOf(reply, "access_token").split(".");
  return (JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string }).kid;
}
