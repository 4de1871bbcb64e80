import { createHash, X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The client at the other end of a TLS connection. */
interface Peer {
  /** Lower-case hex of the SHA-256 of the certificate's DER. */
  certificateHash: string;
  certificateExpiresAtMs: number;
  ip: string;
}

const known = new WeakMap<Socket, Peer>();

/**
 * Returns undefined unless the handshake verified a certificate of our CA. Also returns undefined for a
 * connection that is already closed.
 */
export function identifyPeer(socket: Socket): Peer | undefined {
  const identified = known.get(socket);
  if (identified) return identified;
  const { authorized, remoteAddress } = socket as TLSSocket;
  const der = (socket as TLSSocket).getPeerCertificate().raw as Buffer | undefined;
  if (!authorized || !remoteAddress || !der) return undefined;
  const peer = {
    certificateHash: createHash("sha256").update(der).digest("hex"),
    certificateExpiresAtMs: Date.parse(new X509Certificate(der).validTo),
    ip: normaliseIp(remoteAddress),
  };
  known.set(socket, peer);
  return peer;
}

/**
 * Converts an IPv4 address that a dual-stack socket shows as IPv6 back to IPv4. Removes a zone (`%eth0`),
 * which has a meaning only on this machine.
 */
export function normaliseIp(address: string): string {
  return address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
}
