import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Credentials } from "../../partner.ts";
import { newKeyFiles, writeCsr } from "../../partner_keys.ts";
import type { Deployment } from "../deployment.ts";
import type { RotatingPartner } from "./party.ts";
import type { Kind } from "./straggler.ts";

/** How one kind of credential is replaced, by `gold` and by the partner. */
export interface Rotation {
  readonly name: string;
  /** Puts the new one beside the old one. */
  renew(desk: Desk): Promise<Renewal>;
}

export interface Renewal {
  /** What the partner goes over to. */
  readonly change: Partial<Credentials>;
  /** What somebody tries who stays with the old one. */
  readonly tried: readonly Kind[];
  /** How each of these is refused once the old one has ended; the others go on being let in. */
  readonly refused: Partial<Readonly<Record<Kind, string>>>;
  /** Ends the old one; absent where it ends by itself, long after this. */
  retire?(): Promise<unknown>;
  /** What else must be true in the end. */
  check?(partner: RotatingPartner): Promise<string[]>;
}

/** Where operator and partner work: the deployment, and whose credentials they are. */
export interface Desk {
  readonly deployment: Deployment;
  readonly organization: string;
  readonly clientId: string;
}

const OVERLAP = "1h";
/** By then each Envoy has the new authority, the operator's guide says. */
const TRUST_MS = 2000;
/** Whoever serves has read the new token key by then. */
const CLOCKS_MS = 1000;
const ENDED = "403 certificate_revoked";
const REFUSED: Renewal["refused"] = { write: ENDED, read: ENDED, handshake: "refused" };

const rotateCertificate = (name: string, tried: readonly Kind[]): Rotation => ({
  name,
  async renew(desk) {
    const { deployment: { operator }, clientId } = desk;
    const { change, fingerprint } = await issueCertificate(desk);
    return {
      change,
      tried,
      refused: REFUSED,
      retire: () =>
        forOthers(
          desk,
          `cert list ${clientId}`,
          "fingerprint",
          fingerprint,
          (old) => operator("cert revoke", old),
        ),
    };
  },
});

const clientSecret: Rotation = {
  name: "client secret",
  async renew(desk) {
    const { deployment: { operator }, clientId } = desk;
    const made = await operator("secret rotate", clientId, "--overlap", OVERLAP);
    return {
      change: { client_secret: made.client_secret as string },
      // The token lives on, for its ten minutes.
      tried: ["token", "write", "read"],
      refused: { token: "401 invalid_client" },
      retire: () =>
        forOthers(
          desk,
          `secret list ${clientId}`,
          "secret_id",
          made.secret_id,
          (old) => operator("secret retire", clientId, old),
        ),
    };
  },
};

const signingKey: Rotation = {
  name: "signing key",
  async renew(desk) {
    const { deployment: { operator, state }, clientId } = desk;
    const name = `signing_${randomUUID()}`;
    const folder = state.path("partners", clientId);
    const { publicFile } = await newKeyFiles(state, folder, name);
    const { thumbprint } = await operator("signing-key add", clientId, publicFile);
    return {
      change: { signing_key: `${folder}/${name}_key.pem` },
      tried: ["write", "read"],
      refused: { write: "401 signature_invalid" },
      retire: () =>
        forOthers(
          desk,
          `signing-key list ${clientId}`,
          "thumbprint",
          thumbprint,
          (old) => operator("signing-key retire", clientId, old),
        ),
    };
  },
};

const webhookSecret: Rotation = {
  name: "webhook secret",
  async renew(desk) {
    const { deployment: { operator }, clientId } = desk;
    const made = await operator("webhook-secret rotate", clientId, "--overlap", OVERLAP);
    return {
      change: { webhook_secret: made.webhook_secret as string },
      tried: ["write", "read"],
      refused: {},
      retire: () =>
        forOthers(
          desk,
          `webhook-secret list ${clientId}`,
          "secret_id",
          made.secret_id,
          (old) => operator("webhook-secret retire", clientId, old),
        ),
      check: (partner) => findOtherWebhookSecrets(partner, made.secret_id as string),
    };
  },
};

const authority: Rotation = {
  name: "certificate authority",
  async renew(desk) {
    const { operator, state } = desk.deployment;
    const { fingerprint } = await operator(
      "key rotate ca",
      "--key",
      state.path("pki", `${randomUUID()}.pem`),
    );
    const { change } = await issueCertificate(desk);
    await sleep(TRUST_MS);
    return {
      change,
      tried: ["write", "read", "handshake"],
      refused: REFUSED,
      retire: () =>
        forOthers(desk, "ca list", "fingerprint", fingerprint, (old) => operator("ca retire", old)),
    };
  },
};

const tokenKey: Rotation = {
  name: "token key",
  async renew({ deployment: { operator } }) {
    const { kid, begins_at } = await operator("key rotate token");
    await sleep(Date.parse(begins_at as string) - Date.now() + CLOCKS_MS);
    return {
      change: {},
      // What the older key signed lives on for its ten minutes.
      tried: ["write", "read"],
      refused: {},
      check: async (partner) =>
        await readTokenKid(partner) === kid ? [] : ["a new token is not signed by the new key"],
    };
  },
};

const sealingKey: Rotation = {
  name: "sealing key",
  async renew({ deployment: { operator, state } }) {
    const file = state.path("keys", "sealing_key");
    const older = await readFile(file, "utf8");
    const first = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
    await state.writePrivate(file, `${first}\n${older}`);
    await operator("key rotate webhook-kek");
    const { resealed } = await operator("key rotate webhook-kek");
    return {
      change: {},
      tried: ["write", "read", "token"],
      refused: {},
      retire: () => writeFile(file, `${first}\n`),
      check: async () => resealed === 0 ? [] : [`${resealed} were left sealed by an older key`],
    };
  },
};

export const ROTATIONS: readonly Rotation[] = [
  rotateCertificate("certificate", ["write", "read", "handshake"]),
  // A refused write has the service read anew whom it may let in, so whoever writes shows nothing of reads.
  rotateCertificate("certificate of one who only reads", ["read", "handshake"]),
  clientSecret,
  signingKey,
  webhookSecret,
  authority,
  tokenKey,
  sealingKey,
];

/** A new key and a new request, as a key is certified once. */
async function issueCertificate(
  { deployment: { operator, state }, clientId, organization }: Desk,
): Promise<{ change: Partial<Credentials>; fingerprint: string }> {
  const name = `tls_${randomUUID()}`;
  const folder = state.path("partners", clientId);
  const { pair } = await newKeyFiles(state, folder, name);
  const [csr, cert] = [`${folder}/${name}.csr`, `${folder}/${name}.crt`];
  await writeFile(csr, await writeCsr(pair, { organization, commonName: clientId }));
  const { fingerprint } = await operator("cert issue", clientId, "--csr", csr, "--out", cert);
  return { change: { cert, key: `${folder}/${name}_key.pem` }, fingerprint: fingerprint as string };
}

const LIVING = ["active", "retiring", "trusted"];

/** Whatever of the kind still lives beside the new one. */
async function forOthers(
  { deployment: { operator } }: Desk,
  list: string,
  member: string,
  kept: unknown,
  end: (name: string) => Promise<unknown>,
): Promise<void> {
  const { items } = await operator(list) as { items: Record<string, string>[] };
  const others = items.filter((one) => one[member] !== kept && LIVING.includes(one.status!));
  if (others.length === 0) throw new Error(`${list} shows nothing that could end`);
  for (const other of others) await end(other[member]!);
}

async function readTokenKid({ current }: RotatingPartner): Promise<string | undefined> {
  const reply = await current.send((trader) => trader.tokenRequest());
  if (typeof reply === "string" || reply.status !== 200) return undefined;
  const { access_token } = JSON.parse(reply.body) as { access_token: string };
  const header = Buffer.from(access_token.split(".")[0]!, "base64url").toString();
  return (JSON.parse(header) as { kid: string }).kid;
}

/** As the partner itself sees it. */
async function findOtherWebhookSecrets({ current }: RotatingPartner, kept: string): Promise<string[]> {
  const reply = await current.send((trader) => trader.read("/v1/credentials"));
  if (typeof reply === "string" || reply.status !== 200) return ["the partner cannot read its credentials"];
  const { webhook_secrets } = JSON.parse(reply.body) as {
    webhook_secrets: { secret_id: string; retire_at: string | null }[];
  };
  const living = webhook_secrets.filter(({ retire_at }) =>
    retire_at === null || Date.parse(retire_at) > Date.now()
  );
  return living.length === 1 && living[0]!.secret_id === kept
    ? []
    : [`the partner sees ${living.length} living webhook secret(s)`];
}
