// Verifies the signatures of stored requests, in groups and on several threads. Meanwhile the other process
// of the audit reads rows.
import { type CryptoKey, importVerifyingKey, verifyDetached } from "@gold-partner/jws";
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import { TOLERANCE_MS } from "./prices.ts";

interface Key {
  readonly key: CryptoKey;
  readonly from: number;
  readonly until: number;
}

/**
 * How many signatures are verified at once. Verified one by one while rows are read, each costs 20 % more
 * CPU.
 */
const GROUP_SIZE = 256;

export class Signatures {
  readonly #share: number;
  /** By client number and thumbprint in hex. */
  readonly #keys: ReadonlyMap<string, Key>;
  readonly #waiting: (() => Promise<void>)[] = [];
  verified = 0;

  private constructor(keys: ReadonlyMap<string, Key>, share: number) {
    this.#keys = keys;
    this.#share = share;
  }

  /** `share` is the part of the signatures that are verified, from 0 to 1. They are chosen at random. */
  static async open(rows: readonly Row[], share: number): Promise<Signatures> {
    const keys = new Map<string, Key>();
    for (const { partner_id, thumbprint, jwk, not_before, retire_at } of rows) {
      // key_is_thumbprint reports a malformed key.
      const key = await importVerifyingKey(jwk).catch(() => undefined);
      const name = `${partner_id} ${Buffer.from(thumbprint, "base64url").toString("hex")}`;
      if (key) keys.set(name, { key, from: not_before, until: retire_at ?? Infinity });
    }
    return new Signatures(keys, share);
  }

  /** `payloads` returns one text for each base URL. The partner signed one of them. */
  async add(
    findings: Findings,
    reply: Row,
    signature: string,
    payloads: () => readonly Uint8Array[],
  ): Promise<void> {
    const row = `idempotency_key ${reply.client_id} ${reply.key} request`;
    const known = this.#keys.get(`${reply.client_id} ${reply.signing_thumbprint}`);
    if (!known) {
      return findings.add("request_is_signed", row, "a key of the partner", reply.signing_thumbprint);
    }
    const at = reply.created_at;
    if (at < known.from - TOLERANCE_MS || at > known.until + TOLERANCE_MS) {
      const span = `${instantText(known.from)} to ${instantText(known.until)}`;
      findings.add("request_is_signed", `${row} key`, span, instantText(at));
    }
    if (this.#share < 1 && Math.random() >= this.#share) return;
    this.verified++;
    this.#waiting.push(() => this.#verify(findings, row, known.key, signature, payloads()));
    if (this.#waiting.length >= GROUP_SIZE) await this.finish();
  }

  async #verify(
    findings: Findings,
    row: string,
    key: CryptoKey,
    signature: string,
    payloads: readonly Uint8Array[],
  ): Promise<void> {
    let reason = "no base URL";
    for (const payload of payloads) {
      try {
        await verifyDetached(signature, payload, [key]);
        return;
      } catch (error) {
        reason = (error as Error).message;
      }
    }
    findings.add("request_is_signed", row, "a signature of the stored key", reason);
  }

  /** Verifies all signatures that have been collected. */
  async finish(): Promise<void> {
    await Promise.all(this.#waiting.splice(0).map((verify) => verify()));
  }
}
