import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { newKeyFiles, writeCsr } from "@gold-partner/dev";
import type { Caller, Certificate } from "./caller_fixture.ts";
import type { Stack } from "./stack_fixture.ts";

interface IssuedCertificate extends Certificate {
  readonly fingerprint: string;
}

/** Issues another certificate to the partner, by a certificate request and `gold cert issue`. */
export async function issueCertificate(
  { operator, running: { state } }: Stack,
  { credentials: { client_id } }: Caller,
): Promise<IssuedCertificate> {
  const [folder, name] = [state.path("partners", client_id), randomUUID()];
  const [request, certificate] = [`${folder}/${name}.csr`, `${folder}/${name}.pem`];
  const { pair } = await newKeyFiles(state, folder, name);
  const { name: organization } = await operator("partner show", client_id) as { name: string };
  await writeFile(request, await writeCsr(pair, { organization, commonName: client_id }));
  const issued = await operator("cert issue", client_id, "--csr", request, "--out", certificate);
  return {
    cert: await readFile(certificate, "utf8"),
    key: await readFile(`${folder}/${name}_key.pem`, "utf8"),
    fingerprint: issued.fingerprint as string,
  };
}

/**
 * Returns the partner with a certificate that the CA signed but that is not registered. TLS accepts this
 * certificate, and the service refuses it.
 */
export async function presentUnregistered(stack: Stack, partner: Caller): Promise<Caller> {
  const certificate = await issueCertificate(stack, partner);
  await stack.sql`delete from gold.certificate where fingerprint = ${certificate.fingerprint}`;
  await stack.announce();
  const caller = partner.presenting(certificate);
  await caller.until(({ status }) => status === 403);
  return caller;
}
