import { once } from "node:events";
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { EXIT } from "../failure.ts";
import { Fault } from "./fault.ts";

const DAY_MS = 86_400_000;
/** The service first announces the end of a certificate this many days ahead. */
const NOTICE_DAYS = 30;

/**
 * Checks the certificate's dates and owner, without the service. Returns the lines for the report. The lines
 * say "registered" without a check, so the caller must also check that the service accepts the certificate.
 */
export function examineCertificate(
  pem: string,
  { file, clientId, nowMs }: { readonly file: string; readonly clientId: string; readonly nowMs: number },
): { readonly detail: string; readonly cure?: string } {
  const { validFrom, validTo, subject } = new X509Certificate(pem);
  const [from, to, now] = [Date.parse(validFrom), Date.parse(validTo), nowMs].map((ms) => new Date(ms));
  const clock = `it is ${now!.toISOString()}`;
  if (now! > to!) {
    throw new Fault(
      `${file} expired at ${to!.toISOString()}; ${clock}.`,
      "If this machine's clock is right, make a new certificate request and send it to the operator.",
    );
  }
  if (now! < from!) {
    throw new Fault(`${file} is valid only from ${from!.toISOString()}; ${clock}.`, "Set the clock (NTP).");
  }
  const owner = /^CN=(.*)$/m.exec(subject)?.[1];
  if (owner !== clientId) {
    throw new Fault(
      `${file} belongs to ${owner}, but client_id is ${clientId}.`,
      "Use the certificate and the client_id of one partner and one environment.",
    );
  }
  const days = Math.floor((to!.getTime() - now!.getTime()) / DAY_MS);
  return {
    detail: `registered, valid until ${to!.toISOString()} (${days} days).`,
    ...(days < NOTICE_DAYS ? { cure: "Replace it now: see docs/rotation.md." } : {}),
  };
}

const HTTPS_PORT = 443;
const CONNECT_MAX_MS = 5_000;

/**
 * Checks only the dates of the service's certificate. Returns undefined if it is valid now by this machine's
 * clock, or cannot be read.
 */
export async function examineServiceDates(
  { hostname, port, origin }: URL,
  nowMs: number,
): Promise<Fault | undefined> {
  // Accept any certificate: only its dates are read, and nothing is sent over this connection.
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    ...{ host, port: Number(port || HTTPS_PORT), rejectUnauthorized: false, timeout: CONNECT_MAX_MS },
    // TLS allows no IP address as the server's name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(CONNECT_MAX_MS) });
    const { valid_from, valid_to } = socket.getPeerCertificate();
    const [from, to] = [Date.parse(valid_from), Date.parse(valid_to)];
    if (!(nowMs < from || nowMs > to)) return undefined;
    const [begin, end, now] = [from, to, nowMs].map((ms) => new Date(ms).toISOString());
    return new Fault(
      `the certificate of ${origin} is valid from ${begin} to ${end}, but this machine's clock says ${now}.`,
      "Set this machine's clock (NTP). If the clock is right, tell the operator that the certificate is not valid.",
      EXIT.usage,
    );
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
