import type { Ticket } from "../ticket.ts";

/** A write that passed admission. Booking accepts nothing else. */
export type AdmittedWrite = Ticket<"AdmittedWrite", {
  readonly client: number;
  /** The version of the partner's credentials that admitted this write. Booking refuses an older one. */
  readonly admissionVersion: string;
  readonly key: string;
  /** The SHA-256 of method, path and parameters, in lower-case hex. */
  readonly fingerprint: string;
  /** The uuid of the request id. */
  readonly request: string;
}>;

/** An admitted write that its caller signed. */
export type SignedWrite =
  & AdmittedWrite
  & Ticket<"SignedWrite", {
    /** The first 16 bytes of the nonce's SHA-256, as a uuid. */
    readonly nonce: string;
  }>;
