// Verifies the signatures of stored requests. Verifying runs beside the reading of rows, on other threads.
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

/** So many signatures are verified at once. */
const MOST_PENDING = 256;

export class Signatures {
  readonly #share: number;
  /** By client number and thumbprint in hex. */
  readonly #keys: ReadonlyMap<string, Key>;
  readonly #pending = new Set<Promise<void>>();
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

  /** `payloads` returns the texts of which the partner may have signed one: one for each base URL. */
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
    const one = this.#verify(findings, row, known.key, signature, payloads()).finally(() =>
      this.#pending.delete(one)
    );
    this.#pending.add(one);
    // Waits for the oldest. Promise.race() would add a handler to each pending promise, at every signature.
    if (this.#pending.size >= MOST_PENDING) await this.#pending.values().next().value;
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

  /** Waits until all signatures are verified. */
  async finish(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
