// Recomputes change_request.wanted from the request that the partner signed: the members that an answering
// change must have.
import { Buffer } from "node:buffer";
import { canonicalJson, type CanonicalValue } from "@gold-partner/canonical";
import { jwkThumbprint, type PublicJwk } from "@gold-partner/jws";
import { sha256Hex } from "../values.ts";

interface Content {
  readonly signing_key?: PublicJwk & { readonly kid?: string };
  readonly certificate_request?: string;
  readonly ip_range?: string;
  readonly webhook_endpoint?: { readonly url: string; readonly types?: readonly string[] };
}

/** Returns the text of change_request.wanted for the body of a request that its partner signed. */
export async function wantedText(body: unknown): Promise<string> {
  const { signing_key, certificate_request, ip_range, webhook_endpoint } = body as Content;
  let wanted: object = {};
  if (signing_key) {
    const { kid = null, ...jwk } = signing_key;
    wanted = { thumbprint: await jwkThumbprint(jwk), kid, jwk };
  } else if (certificate_request) wanted = { key_hash: keyHashOf(certificate_request) };
  else if (ip_range) wanted = { range: spellRange(ip_range) };
  else if (webhook_endpoint) wanted = { ...webhook_endpoint, url: new URL(webhook_endpoint.url).href };
  return canonicalJson(wanted as CanonicalValue);
}

/** The SHA-256 of the key of a PKCS #10 request, whose first element has the version, the name and the key. */
function keyHashOf(pem: string): string {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  const element = (at: number) => {
    const lengthBytes = Math.max(0, der.readUInt8(at + 1) - 0x80);
    const start = at + 2 + lengthBytes;
    return {
      start,
      end: start + (lengthBytes ? der.readUIntBE(at + 2, lengthBytes) : der.readUInt8(at + 1)),
    };
  };
  const version = element(element(0).start).start;
  const key = element(element(version).end).end;
  return sha256Hex(der.subarray(key, element(key).end));
}

/** Returns an IP range in its canonical spelling. An IPv4-mapped IPv6 range becomes an IPv4 range. */
export function spellRange(range: string): string {
  const [address, bits] = range.split("/") as [string, string | undefined];
  if (!address.includes(":")) return `${address}/${bits ?? 32}`;
  const length = Number(bits ?? 128);
  const spelled = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(spelled) ?? [];
  if (high === undefined || length < 96) return `${spelled}/${length}`;
  const bytes = [high, low!].map((part) => parseInt(part, 16)).flatMap((part) => [part >> 8, part & 0xff]);
  return `${bytes.join(".")}/${length - 96}`;
}
