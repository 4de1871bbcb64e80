import { readFile, rm } from "node:fs/promises";
import type { KeySource } from "@gold-partner/server";
import type { Sql } from "postgres";
import type { Command, Invocation, Result, Values } from "../../command.ts";
import { readClock } from "../../database.ts";
import { EXIT, Failure, mayTakeEffect, usage } from "../../failure.ts";
import { checkSource, placeOf } from "../../key_file.ts";
import { PRIVATE_FILE, writeNewFile } from "../../new_file.ts";
import { certifyAuthority } from "../../pki/authority.ts";
import { certificateFingerprint, readCertificate } from "../../pki/certificate.ts";
import { issueCrl } from "../../pki/crl.ts";
import { equalBytes } from "../../pki/der.ts";
import {
  type AuthorityKey,
  createAuthority,
  type NewAuthority,
  openAuthority,
  readAuthorityKey,
  useSigningCommand,
} from "../../pki/mod.ts";
import { daysFrom } from "../../pki/validity.ts";
import { optional, required, wholeNumber } from "../../values.ts";
import { readCommand } from "./authority.ts";
import { changeOrPropose } from "../changes/proposing.ts";
import { LIST_DAYS } from "./revocation_list.ts";

const AUTHORITY_YEARS = 10;
/**
 * Minimum lifetime of an authority. A certificate is valid for one year and never outlives its authority, so
 * an authority of one year could sign nothing.
 */
const AUTHORITY_YEARS_MIN = 2;

export const NEW_AUTHORITY = {
  usage: '(--key FILE | --command "PROGRAM ARGUMENT…" --public-key FILE) [--years N]',
  options: {
    key: { type: "string" },
    command: { type: "string" },
    "public-key": { type: "string" },
    years: { type: "string", default: `${AUTHORITY_YEARS}` },
  } satisfies Command["options"],
};

interface MadeAuthority {
  readonly certificate: string;
  readonly key: AuthorityKey;
  readonly keySource: KeySource;
  /** The new key. It is written to this file and nowhere else. */
  readonly keyFile?: { readonly path: string; readonly pem: string };
}

/**
 * Makes an authority and its first, empty revocation list. The trust sync gives the proxy either the lists of
 * all authorities or none. An authority without a list would therefore switch off all revocation checks of
 * the proxy.
 */
export async function addAuthority(invocation: Invocation, first: boolean): Promise<Result> {
  const { keys } = invocation;
  const { sql, deployment } = await invocation.db();
  const { environment, publicBaseUrl } = await deployment();
  const issuedAt = await readClock(sql);
  // Put the instant into the name, because some verifiers do not look for a second key under the same name.
  const commonName = `Gold Trading Partner CA (${environment}) ${issuedAt.toISOString()}`;
  const { certificate, key, keySource, keyFile } = await makeAuthority(invocation, {
    commonName,
    organization: new URL(publicBaseUrl).host,
    issuedAt,
    years: readYears(invocation.values),
  });
  await refuseKnownKey(sql, certificate);
  const fingerprint = await certificateFingerprint(certificate);
  const { notBefore: thisUpdate, notAfter: nextUpdate } = daysFrom(issuedAt, LIST_DAYS);
  const authority = await openAuthority(certificate, key);
  const list = await issueCrl({ authority, revoked: [], number: 1, thisUpdate, nextUpdate });
  const made = {
    object: {
      common_name: commonName,
      fingerprint,
      ...(keyFile ? { key_file: keyFile.path } : { key_source: keySource }),
      revocation_list_until: nextUpdate.toISOString(),
      certificate,
    },
  };
  if (keyFile) await writeKey(keyFile.path, keyFile.pem);
  try {
    await keys.record(`ca:${fingerprint}`, keySource);
    return await changeOrPropose(invocation, {
      kind: "authority.add",
      content: {
        first,
        fingerprint,
        certificate,
        revocation_list: list,
        revocation_next_at: nextUpdate.toISOString(),
      },
    }, made).catch(async (error: Error) => {
      if (!mayTakeEffect(error)) await keys.record(`ca:${fingerprint}`, undefined);
      throw error;
    });
  } catch (error) {
    // Keep the authority's key file if the database gave no answer, or has a proposal that was not signed.
    // The database may have stored the authority, or may store it later.
    if (keyFile && !mayTakeEffect(error)) await rm(keyFile.path);
    throw error;
  }
}

function readYears(values: Values): number {
  const years = wholeNumber(required(values, "years"), "years");
  if (years >= AUTHORITY_YEARS_MIN) return years;
  throw usage(
    `--years must be at least ${AUTHORITY_YEARS_MIN}; got ${years}. A partner's certificate is valid for one year and never outlives its authority.`,
  );
}

/** Reads where the key is: in a file or behind a signing command. */
export function readKeySource(values: Values, path: Invocation["path"]): KeySource {
  const command = optional(values, "command");
  if (command === undefined && values.key === undefined) {
    throw usage(
      'Give --key FILE for a key in a file, or --command "PROGRAM ARGUMENT…" for a key behind a signing command.',
    );
  }
  if (command === undefined) return `file:${path(required(values, "key"))}`;
  if (values.key === undefined) return checkSource(`command:${command}`, "--command");
  throw usage("Give either --key or --command, not both.");
}

async function makeAuthority({ values, path }: Invocation, order: NewAuthority): Promise<MadeAuthority> {
  const keySource = readKeySource(values, path);
  const place = placeOf(keySource);
  if (keySource.startsWith("file:")) {
    const { certificatePem, privateKeyPem } = await createAuthority(order);
    const key = await readAuthorityKey(privateKeyPem);
    return { certificate: certificatePem, key, keySource, keyFile: { path: place, pem: privateKeyPem } };
  }
  const publicKeyPem = await readFile(path(required(values, "public-key")), "utf8");
  const key = useSigningCommand(readCommand(place));
  return { certificate: await certifyAuthority({ ...order, publicKeyPem, key }), key, keySource };
}

/**
 * Refuses a key that an authority already has.
 * Rotating back to a key that was rotated out would undo that rotation.
 */
async function refuseKnownKey(sql: Sql, certificate: string): Promise<void> {
  const keyOf = (pem: string) => new Uint8Array(readCertificate(pem).publicKey.rawData);
  const key = keyOf(certificate);
  const rows = await sql`select fingerprint, certificate from gold.authority_overview`;
  const known = rows.find((row) => equalBytes(keyOf(row.certificate), key));
  if (known) {
    throw new Failure(
      EXIT.refused,
      "refused",
      `This key already belongs to authority ${known.fingerprint}. A new authority needs a new key.`,
    );
  }
}

/**
 * Writes the key to disk before the authority is registered. It never overwrites a file, because that file
 * may hold the key of an authority in use.
 */
async function writeKey(file: string, pem: string): Promise<void> {
  await writeNewFile(file, pem, PRIVATE_FILE).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw usage(
      code === "EEXIST"
        ? `${file} already exists. Nothing was done. Name another file. This file may be the key of an authority in use: \`gold ca list\` shows where each key is.`
        : `The key was not written, and nothing was done: ${message}.`,
    );
  });
}
