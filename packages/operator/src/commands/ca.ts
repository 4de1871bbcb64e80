import { rm, writeFile } from "node:fs/promises";
import type { Command } from "../command.ts";
import { certificateFingerprint } from "../pki/certificate.ts";
import { createAuthority } from "../pki/mod.ts";
import { usage } from "../failure.ts";
import { required, wholeNumber } from "../values.ts";

const AUTHORITY_YEARS = 10;

const init: Command = {
  words: "ca init",
  usage: "ca init --key FILE [--years N]",
  does: "makes the environment's certificate authority; its key goes to FILE and nowhere else",
  options: { key: { type: "string" }, years: { type: "string", default: `${AUTHORITY_YEARS}` } },
  async run({ values, db, path, now }) {
    const { sql, deployment } = await db();
    const { environment, publicBaseUrl } = await deployment();
    const keyFile = path(required(values, "key"));
    const commonName = `Gold Trading Partner CA (${environment})`;
    const { certificatePem, privateKeyPem } = await createAuthority({
      commonName,
      organization: new URL(publicBaseUrl).host,
      issuedAt: now(),
      years: wholeNumber(required(values, "years"), "years"),
    });
    // Never over an existing file: it may be the key of an authority in use.
    await writeFile(keyFile, privateKeyPem, { flag: "wx", mode: 0o600 }).catch((error) => {
      throw usage(`The key was not written, and nothing was done: ${error.message}.`);
    });
    try {
      await sql`select gold.add_authority(${await certificateFingerprint(
        certificatePem,
      )}, ${certificatePem}, ${`file:${keyFile}`})`;
    } catch (error) {
      await rm(keyFile);
      throw error;
    }
    return { object: { common_name: commonName, key_file: keyFile, certificate: certificatePem } };
  },
};

const show: Command = {
  words: "ca show",
  usage: "ca show",
  does: "the certificates that partners' certificates are judged by, and where the key is",
  async run({ db }) {
    const { deployment } = await db();
    const { authorityCertificates, authorityKeySource } = await deployment();
    return { object: { certificates: authorityCertificates, key_source: authorityKeySource } };
  },
};

export const CA_COMMANDS: readonly Command[] = [init, show];
