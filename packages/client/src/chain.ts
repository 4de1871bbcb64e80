import { Buffer } from "node:buffer";
import { readJson } from "@gold-partner/canonical";
import { hostBytes, idempotencyFingerprint } from "@gold-partner/protocol";
import type { SignedExchange } from "./signed_exchange.ts";

const sha256 = (text: string): string => hostBytes.sha256Hex(hostBytes.utf8(text));

/**
 * Computes the `answer` of an order or a withdrawal: a SHA-256 over your signed request and its reply. The
 * record's line in the hash chain contains this value. docs/chain.md describes how it is computed.
 *
 * @param exchange The signed request and its reply. If you sent the request several times, pass the exchange
 * that was executed.
 * @param signingThumbprint The RFC 7638 thumbprint of the key that signed the request.
 * @param fingerprint The request's idempotency fingerprint. By default, it is computed from the exchange.
 * @returns 64 hexadecimal digits, or undefined if no reply arrived.
 * @example
 * const answer = chainAnswer(exchange, thumbprint);
 */
export function chainAnswer(
  exchange: SignedExchange,
  signingThumbprint: string,
  fingerprint: string = fingerprintOf(exchange),
): string | undefined {
  const { idempotency_key, method, target, timestamp, nonce, signature, body, status, request_id, reply } =
    exchange;
  if (status === null || request_id === null || reply === null) return undefined;
  const lines = [
    idempotency_key,
    fingerprint,
    status,
    request_id.replace(/^req_/, ""),
    sha256(reply),
    sha256([method, target, timestamp, nonce, signature, body].join("\n")),
    Buffer.from(signingThumbprint, "base64url").toString("hex"),
  ];
  return sha256(lines.map((line) => `${line}\n`).join(""));
}

function fingerprintOf({ method, target, body }: SignedExchange): string {
  const [path] = target.split("?");
  return idempotencyFingerprint({ method, path: path!, params: readJson(hostBytes.utf8(body)) }, hostBytes);
}

/**
 * Computes the salt of an event's line.
 *
 * @param chainKey The `chain_key` of getChainKey().
 * @param sequence The `sequence` of the event.
 * @returns 32 hexadecimal digits.
 * @example
 * const salt = chainSalt((await client.getChainKey()).chain_key, event.sequence);
 */
export function chainSalt(chainKey: string, sequence: number): string {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(sequence));
  return hostBytes.sha256Hex(Buffer.concat([Buffer.from(chainKey, "hex"), number])).slice(0, 32);
}

/**
 * Computes the `chain_head` of an event.
 *
 * @param previousHead The `chain_head` of the previous event, or undefined for the first event.
 * @param line The `line` of the event.
 * @returns 64 hexadecimal digits.
 * @example
 * const isWhole = chainHead(before.data.chain_head, event.line) === event.data.chain_head;
 */
export function chainHead(previousHead: string | undefined, line: string): string {
  const previous = Buffer.from(previousHead ?? "00".repeat(32), "hex");
  return hostBytes.sha256Hex(Buffer.concat([previous, hostBytes.utf8(line)]));
}
