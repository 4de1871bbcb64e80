import { createHash, X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** Who is at the other end of a TLS connection. */
interface Peer {
  /** Lower-case hex of the SHA-256 of the certificate's DER. */
  certificateHash: string;
  certificateExpiresAtMs: number;
  ip: string;
}

const known = new WeakMap<Socket, Peer>();

/** Undefined unless the handshake proved a certificate of our CA, and for a connection that is already gone. */
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

/** An IPv4 address that a dual-stack socket shows as IPv6 is written as IPv4; a zone (`%eth0`) is local detail. */
export function normaliseIp(address: string): string {
  return address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
}
