import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { newKeyFiles, writeCsr } from "./partner_keys.ts";
import type { Operator } from "./operator.ts";
import { readIfPresent, type State, StateError } from "./state.ts";

/** A partner's credentials. The four file paths are absolute. */
export interface Credentials {
  readonly base_url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly signing_key: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string;
}

interface PartnerPlan {
  readonly name: string;
  readonly iban: string;
  readonly baseUrl: string;
  /** Default: the demo's receiver on this machine, at the port after the service's. */
  readonly webhook?: string;
}

const FILE = "credentials.json";
const PEM_FILES = ["certificate.pem", "tls_key.pem", "signing_key.pem"];
const PORT_MAX = 65_535;

/**
 * Returns the demo partner's credentials from an earlier start. If there are none, onboards a new partner
 * with the operator's commands.
 */
export async function ensurePartner(
  state: State,
  operator: Operator,
  plan: PartnerPlan,
): Promise<{ credentials: Credentials; isNew: boolean }> {
  for (const folder of await readdir(state.path("partners"))) {
    const created = await readCreated(state.path("partners", folder));
    // Skip the folder of an interrupted onboarding. Also skip a partner that this database does not have,
    // because the database was replaced.
    if (!created || !await isKnown(operator, created)) continue;
    // Write the paths and the base URL again, because the folder or the port may have changed.
    return { credentials: await writeCredentials(state, plan, created), isNew: false };
  }
  return { credentials: await onboard(state, operator, plan), isNew: true };
}

interface Created {
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string;
}

async function readCreated(folder: string): Promise<Created | undefined> {
  const text = await readIfPresent(`${folder}/${FILE}`);
  if (text === undefined) return undefined;
  const damaged = (name: string) =>
    new StateError(
      `${folder}/${name} is damaged or missing, and cannot be created again. ` +
        `Restore it from a backup, or remove ${folder}: the next start then onboards a new partner.`,
    );
  for (const name of PEM_FILES) {
    const pem = await readFile(`${folder}/${name}`, "utf8").catch(() => "");
    if (!/-----END [A-Z ]+-----\s*$/.test(pem)) throw damaged(name);
  }
  const { client_id, client_secret, webhook_secret } = readObject(text) as Partial<Created>;
  if (!client_id || !client_secret || !webhook_secret) throw damaged(FILE);
  return { client_id, client_secret, webhook_secret };
}

function readObject(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

async function isKnown(operator: Operator, { client_id }: Created): Promise<boolean> {
  const { items } = await operator("partner list") as { items: readonly { client_id: string }[] };
  return items.some((known) => known.client_id === client_id);
}

/**
 * Creates the partner's keys. The operator's commands then register them and sign the certificate request.
 */
export async function onboard(state: State, operator: Operator, plan: PartnerPlan): Promise<Credentials> {
  const folder = state.path("partners", "new");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const signing = await newKeyFiles(state, folder, "signing");
  const tls = await newKeyFiles(state, folder, "tls");
  const { webhook = `https://localhost:${portBeside(plan.baseUrl)}/webhooks` } = plan;
  const created = await operator(
    `partner create --ip 127.0.0.1/32 --ip ::1/128 --webhook ${webhook}`,
    ...["--name", plan.name, "--iban", plan.iban, "--signing-key", signing.publicFile],
  ) as unknown as Created;
  const csr = `${folder}/request.csr`;
  await writeFile(csr, await writeCsr(tls.pair, { organization: plan.name, commonName: created.client_id }));
  await operator("cert issue", created.client_id, "--csr", csr, "--out", `${folder}/certificate.pem`);
  await rename(folder, state.path("partners", created.client_id));
  return await writeCredentials(state, plan, created);
}

function portBeside(baseUrl: string): number {
  const port = Number(new URL(baseUrl).port || "443");
  return port === PORT_MAX ? port - 1 : port + 1;
}

async function writeCredentials(
  state: State,
  { baseUrl }: PartnerPlan,
  created: Created,
): Promise<Credentials> {
  const { client_id, client_secret, webhook_secret } = created;
  const file = (name: string) => state.path("partners", client_id, name);
  const credentials: Credentials = {
    base_url: baseUrl,
    ca: state.path("pki", "ca.pem"),
    cert: file("certificate.pem"),
    key: file("tls_key.pem"),
    signing_key: file("signing_key.pem"),
    client_id,
    client_secret,
    webhook_secret,
  };
  await state.writePrivate(file(FILE), JSON.stringify(credentials, null, 2));
  return credentials;
}
