import { readFile } from "node:fs/promises";
import { exportPublicJwk, importVerifyingKey, jwkThumbprint } from "@gold-partner/jws";
import { formatGrams, GOLD_MAX_TENTH_MILLIGRAMS, KID_FORM, parseGrams } from "@gold-partner/protocol";
import { checkEndpoint, parseRange } from "@gold-partner/server";
import type { Deployment } from "../../database.ts";
import { usage } from "../../failure.ts";
import type { Values } from "../../command.ts";
import { SUBJECT_MAX_CHARACTERS } from "../../pki/mod.ts";
import { line, wholeNumber } from "../../values.ts";

/** Reads the partner's name. The functions below read the other terms, each from its option. */
export function readName(values: Values): string {
  const name = line(values, "name");
  if ([...name].length <= SUBJECT_MAX_CHARACTERS) return name;
  throw usage(
    `--name must be at most ${SUBJECT_MAX_CHARACTERS} characters: the partner's certificate cannot hold a longer name.`,
  );
}

export function readRange(text: string): string {
  try {
    return parseRange(text);
  } catch (error) {
    throw usage(`--ip ${(error as Error).message}`);
  }
}

export const readSigningKey = async (file: string) => await parseSigningKey(await readFile(file, "utf8"));

/** Reads a public key from a JWK or a PEM. */
export async function parseSigningKey(text: string) {
  const jwk = await exportPublicJwk(await importVerifyingKey(text));
  const { kid } = text.trimStart().startsWith("{")
    ? JSON.parse(text) as { kid?: unknown }
    : { kid: undefined };
  return {
    thumbprint: await jwkThumbprint(jwk),
    jwk: { ...jwk },
    ...(kid === undefined ? {} : { kid: readKid(kid) }),
  };
}

/**
 * Returns the kid if a JWS protected header can carry it. Throws for any other kid, because no request could
 * name the key with it.
 */
function readKid(kid: unknown): string {
  if (typeof kid === "string" && KID_FORM.test(kid)) return kid;
  throw usage(
    `The JWK's kid must be 1 to 128 visible ASCII characters, or must be left out; got ${
      JSON.stringify(kid)
    }.`,
  );
}

/**
 * Checks a webhook's URL by the rules of the webhook sender: a URL that the sender would always refuse is not
 * registered. A host name without an address is registered, with a notice.
 */
export async function readWebhook(
  text: string,
  { loopbackReceivers, webhookPorts: ports }: Deployment,
  option = "--webhook",
): Promise<{ readonly url: string; readonly notice?: string }> {
  const fault = await checkEndpoint(text, { loopbackReceivers, ports });
  if (fault !== undefined && fault.code !== "dns_failed") {
    throw usage(`${option} is refused. ${fault.message}`);
  }
  const url = new URL(text).href;
  if (fault === undefined) return { url };
  return {
    url,
    notice:
      `${option} was stored, but check its spelling. ${fault.message} Each delivery attempt looks the name up again.`,
  };
}

export function readMaximum(text: string): bigint {
  const grams = parseGrams(text);
  if (grams > GOLD_MAX_TENTH_MILLIGRAMS) {
    throw usage(`--max-grams must be at most ${formatGrams(GOLD_MAX_TENTH_MILLIGRAMS)}; got ${text}.`);
  }
  return grams;
}

/** Reads requests per second, such as `50/s`. */
export function readRate(text: string): number {
  return wholeNumber(text.replace(/\/s$/, ""), "rate");
}
