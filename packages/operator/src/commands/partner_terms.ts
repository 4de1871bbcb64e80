import { readFile } from "node:fs/promises";
import { exportPublicJwk, importVerifyingKey, jwkThumbprint } from "@gold-partner/jws";
import { formatGrams, GOLD_MAX_TENTH_MILLIGRAMS, parseGrams } from "@gold-partner/protocol";
import ipaddr from "ipaddr.js";
import { usage } from "../failure.ts";
import { wholeNumber } from "../values.ts";

/** What a partner is registered with, each read from its option. */
export function readRange(text: string): string {
  const [address = "", bits] = text.split("/");
  if (!ipaddr.isValid(address)) throw usage(`--ip ${text} is no address and no CIDR range.`);
  const parsed = ipaddr.process(address);
  try {
    const [network, prefix] = ipaddr.parseCIDR(
      bits === undefined ? `${parsed}/${parsed.kind() === "ipv4" ? 32 : 128}` : text,
    );
    return `${network}/${prefix}`;
  } catch {
    throw usage(`--ip ${text} is no CIDR range, as in 203.0.113.0/24.`);
  }
}

export async function readSigningKey(file: string) {
  const text = await readFile(file, "utf8");
  const jwk = await exportPublicJwk(await importVerifyingKey(text));
  const { kid } = text.trimStart().startsWith("{")
    ? JSON.parse(text) as { kid?: string }
    : { kid: undefined };
  return { thumbprint: await jwkThumbprint(jwk), jwk: { ...jwk }, ...(kid === undefined ? {} : { kid }) };
}

export function readWebhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.username || url.password) {
    throw usage(`--webhook ${text} is no https URL without user information.`);
  }
  return url.href;
}

export function readMaximum(text: string): bigint {
  const grams = parseGrams(text);
  if (grams > GOLD_MAX_TENTH_MILLIGRAMS) {
    throw usage(`--max-grams is at most ${formatGrams(GOLD_MAX_TENTH_MILLIGRAMS)}.`);
  }
  return grams;
}

/** Requests a second, as in 50/s. */
export function readRate(text: string): number {
  return wholeNumber(text.replace(/\/s$/, ""), "rate");
}
