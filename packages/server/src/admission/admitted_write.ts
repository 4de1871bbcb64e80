import type { Ticket } from "./ticket.ts";
import type { StoredRequest } from "./signature/stored_request.ts";

/** A write that passed admission with a certificate. A token is optional. */
export type CertifiedWrite = Ticket<"CertifiedWrite", {
  readonly client: number;
  /**
   * The account's admission version when this write was admitted. Booking refuses the write if the version
   * has changed since.
   */
  readonly admissionVersion: string;
  readonly key: string;
  /** The SHA-256 of method, path and parameters, in lower-case hex. */
  readonly fingerprint: string;
  /** The request id as a uuid, without `req_`. */
  readonly requestId: string;
}>;

/** A write that passed admission with certificate and token. Most bookings need at least this. */
export type AdmittedWrite = CertifiedWrite & Ticket<"AdmittedWrite", unknown>;

/** An admitted write that its caller signed. */
export type SignedWrite =
  & AdmittedWrite
  & Ticket<"SignedWrite", {
    /** The first 16 bytes of the nonce's SHA-256, as a uuid. */
    readonly nonce: string;
    readonly signedRequest: StoredRequest;
    /** The thumbprint of the key that verified the signature, in lower-case hex. */
    readonly thumbprint: string;
  }>;
