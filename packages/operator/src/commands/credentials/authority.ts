import { readFile } from "node:fs/promises";
import type { KeySource } from "@gold-partner/server";
import type { Sql } from "postgres";
import { EXIT, Failure } from "../../failure.ts";
import { placeOf } from "../../key_file.ts";
import {
  type Authority,
  type AuthorityKey,
  openAuthority,
  readAuthorityKey,
  useSigningCommand,
} from "../../pki/mod.ts";

/** A certificate authority that partners' certificates are verified against, as stored in the database. */
export interface TrustedAuthority {
  readonly fingerprint: string;
  /** PEM. */
  readonly certificate: string;
}

/** Returns the authorities that are not retired. The last one is the newest, which signs. */
export async function readTrustedAuthorities(sql: Sql): Promise<TrustedAuthority[]> {
  const rows = await sql`
    select fingerprint, certificate from gold.authority_overview where retired_at is null order by created_at`;
  return rows.map(({ fingerprint, certificate }) => ({ fingerprint, certificate }));
}

export const noAuthority = (): Failure =>
  new Failure(
    EXIT.refused,
    "no_authority",
    "There is no certificate authority yet: run `gold ca init`.",
  );

/** Opens the authority with its key, ready to sign. */
export async function openTrustedAuthority(
  { certificate }: TrustedAuthority,
  keySource: KeySource,
): Promise<Authority> {
  const place = placeOf(keySource);
  return await openAuthority(
    certificate,
    keySource.startsWith("file:") ? await readKeyFile(place) : useSigningCommand(readCommand(place)),
  );
}

/** Splits a command into the program and its arguments, at spaces. */
export const readCommand = (text: string): string[] => text.split(" ").filter((word) => word !== "");

async function readKeyFile(file: string): Promise<AuthorityKey> {
  const pem = await readFile(file, "utf8").catch((error: Error) => {
    throw new Failure(
      EXIT.dependency,
      "authority_key_unreachable",
      `The certificate authority's key cannot be read: ${error.message}.`,
    );
  });
  return await readAuthorityKey(pem);
}
