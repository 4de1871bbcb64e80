import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";

/** The members of a partner file that are read here. `gold loadtest prepare` writes the file. */
export interface LoadPartner {
  readonly base_url: string;
  readonly client_id: string;
  readonly webhook_secret: string;
  readonly ca_pem: string;
  readonly cert_pem: string;
  readonly key_pem: string;
}

/** A file or a service that the run needs is missing. The message names it, and says how to get it. */
export class MissingError extends Error {
  override readonly name: string = "MissingError";
}

const HEALTH_MS = 10_000;
const LOOPBACK = /^(localhost|127\.[0-9.]+|\[::1\])$/;

/** Reads the partner files. `cure` is the command that makes them. */
export async function readPartners(
  folder: string,
  names: readonly string[],
  cure: string,
): Promise<LoadPartner[]> {
  const partners = await Promise.all(names.map(async (name) => {
    const file = join(folder, `partner-${name}.json`);
    const text = await readFile(file, "utf8").catch((error: Error) => {
      throw new MissingError(`The partner file cannot be read: ${error.message}. Make it with: ${cure}`);
    });
    const partner = parse(text);
    for (
      const member of ["base_url", "client_id", "webhook_secret", "ca_pem", "cert_pem", "key_pem"] as const
    ) {
      if (typeof partner[member] !== "string") {
        throw new MissingError(`${file} has no "${member}". Remove it, then run: ${cure}`);
      }
    }
    return partner as LoadPartner;
  }));
  // Refuse a partner that is named twice. Each of the partner's two processes would also count the other
  // process's orders.
  const twice = names.findIndex((_, n) =>
    partners.slice(0, n).some(({ client_id }) => client_id === partners[n]!.client_id)
  );
  if (twice !== -1) {
    throw new MissingError(
      `partner-${
        names[twice]
      }.json in ${folder} has the same client_id as another partner file there. Remove it, then run: ${cure}`,
    );
  }
  return partners;
}

/**
 * Returns an object for any text, so that the caller reports a missing member for text that is not a JSON
 * object.
 */
function parse(text: string): Partial<LoadPartner> {
  try {
    return Object(JSON.parse(text)) as Partial<LoadPartner>;
  } catch {
    return {};
  }
}

/** Returns the fingerprint of the partner's certificate in the form of the database. */
export function fingerprintOf({ cert_pem }: LoadPartner): string {
  return new X509Certificate(cert_pem).fingerprint256.replaceAll(":", "").toLowerCase();
}

/** Throws a MissingError if the service cannot be reached or does not answer this partner with 200. */
export async function requireHealth(
  baseUrl: string,
  { ca_pem, cert_pem, key_pem }: LoadPartner,
): Promise<void> {
  const status = await new Promise<number>((resolve, reject) => {
    const outgoing = request(`${baseUrl}/health`, {
      ca: ca_pem,
      cert: cert_pem,
      key: key_pem,
      agent: false,
      timeout: HEALTH_MS,
      // Do not verify the certificate of a server on this machine, because by default the k6 scripts do not
      // verify it either. This request only has to find a problem before they start.
      rejectUnauthorized: !LOOPBACK.test(new URL(baseUrl).hostname),
    }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${HEALTH_MS / 1000} s`)));
    outgoing.on("error", reject);
    outgoing.end();
  }).catch((error: Error) => {
    throw new MissingError(
      `${baseUrl} cannot be reached: ${error.message}. Start the service (npm start), or set another URL with --base-url.`,
    );
  });
  if (status !== 200) {
    throw new MissingError(
      `${baseUrl}/health answered the first partner with ${status}, so no load was sent.`,
    );
  }
}
