import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { newKeyFiles, writeCsr } from "./partner_keys.ts";
import type { Operator } from "./operator.ts";
import type { State } from "./state.ts";

/** What a partner holds; the four paths are absolute. */
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
}

const FILE = "credentials.json";

/** The demo partner's credentials: those of an earlier start, or new ones by way of the operator. */
export async function ensurePartner(
  state: State,
  operator: Operator,
  plan: PartnerPlan,
): Promise<Credentials> {
  for (const folder of await readdir(state.path("partners"))) {
    const known = await readFile(state.path("partners", folder, FILE), "utf8").catch(() => undefined);
    // The folder may have moved and the port may be another: what follows from them is written anew.
    if (known) return await writeCredentials(state, plan, JSON.parse(known) as Created);
  }
  return await onboard(state, operator, plan);
}

interface Created {
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string;
}

/** The partner makes its keys, the operator registers them and signs the request. */
export async function onboard(state: State, operator: Operator, plan: PartnerPlan): Promise<Credentials> {
  const desk = state.path("partners", "new");
  await rm(desk, { recursive: true, force: true });
  await mkdir(desk, { recursive: true, mode: 0o700 });
  const signing = await newKeyFiles(state, desk, "signing");
  const tls = await newKeyFiles(state, desk, "tls");
  const created = await operator(
    "partner create --ip 127.0.0.1/32 --ip ::1/128 --webhook https://localhost:8444/webhooks",
    ...["--name", plan.name, "--iban", plan.iban, "--signing-key", signing.publicFile],
  ) as unknown as Created;
  const csr = `${desk}/request.csr`;
  await writeFile(csr, await writeCsr(tls.pair, { organization: plan.name, commonName: created.client_id }));
  await operator("cert issue", created.client_id, "--csr", csr, "--out", `${desk}/certificate.pem`);
  await rename(desk, state.path("partners", created.client_id));
  return await writeCredentials(state, plan, created);
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
