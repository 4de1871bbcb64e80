// The partner of this k6 process. A process acts as one partner, because it presents one client certificate.
import { sha256 } from "k6/crypto";
import encoding from "k6/encoding";
import http from "k6/http";
import type { RefinedParams, RefinedResponse } from "k6/http";
import type { Options } from "k6/options";

/** The part of the file from `gold loadtest prepare` that the scripts read. */
export interface Partner {
  readonly name: string;
  readonly base_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly cert_pem: string;
  readonly key_pem: string;
  readonly signing_jwk: { readonly kid?: string };
}

const { BASE_URL, PARTNER, PARTNERS_DIR = "../.gold/loadtest", VERIFY_TLS } = __ENV;
const ADDRESS = /^https:\/\/[^/]+$/;
const LOOPBACK = /^https:\/\/(?:localhost|127\.[0-9.]+|\[::1\])(?::[0-9]+)?$/;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/;
/** k6's error_code for a server certificate whose issuer is unknown. */
const UNKNOWN_AUTHORITY = 1310;

if (VERIFY_TLS && VERIFY_TLS !== "1") {
  throw `VERIFY_TLS must be 1 or unset; got ${VERIFY_TLS}.`;
}

/** Call this at the top level of a script: k6 opens files only while it loads the script. */
export function openPartner(byDefault = "0"): Partner {
  const name = PARTNER || byDefault;
  const folder = PARTNERS_DIR.startsWith("/") ? PARTNERS_DIR : import.meta.resolve(`../${PARTNERS_DIR}`);
  const partner = read(`${folder}/partner-${name}.json`, name);
  const base_url = BASE_URL || partner.base_url;
  if (ADDRESS.test(base_url)) return { ...partner, name, base_url };
  throw `BASE_URL must be https://HOST or https://HOST:PORT without a slash at the end; got ${base_url}.`;
}

function read(file: string, name: string): Partner {
  let text: string | undefined;
  try {
    text = open(file);
    const partner = JSON.parse(text) as Partner;
    if (CERTIFICATE.test(partner.cert_pem)) return partner;
  } catch {
    // Ignore the error here; an error with more help is thrown below.
  }
  const path = file.replace(/^file:\/\//, "");
  const wrong = text === undefined
    ? `${path} does not exist.`
    : `${path} is not a valid partner file. Remove it.`;
  const count = /^[0-9]+$/.test(name) ? Number(name) + 1 : 1;
  // Throw a string, so that k6 prints no stack trace: the cause is outside the script.
  throw `${wrong} To make it while npm start runs: npm run gold -- loadtest prepare --partners ${count}`;
}

export const askForToken = (
  { base_url, client_id, client_secret }: Partner,
  params: RefinedParams<"text">,
): RefinedResponse<"text"> =>
  http.post(
    `${base_url}/oauth/token`,
    { grant_type: "client_credentials", client_id, client_secret },
    params,
  );

/** Returns what the user can do if the first token request failed. */
export const cureOf = ({ error_code }: RefinedResponse<"text">): string =>
  error_code === UNKNOWN_AUTHORITY
    ? "set SSL_CERT_FILE=ca.pem to the CA of the server's certificate"
    : "start the service, or make a partner file for it (gold loadtest prepare)";

/**
 * Checks that the token belongs to this partner and to this certificate. A token contains the hash of the
 * certificate with which it was requested, and the service accepts it only over that certificate.
 */
export function isOwnToken(token: string, { client_id, cert_pem }: Partner): boolean {
  const claims = JSON.parse(encoding.b64decode(token.split(".")[1]!, "rawurl", "s"));
  const certificate = encoding.b64decode(CERTIFICATE.exec(cert_pem)![1]!.replace(/\s/g, ""), "std");
  return claims.sub === client_id && claims.cnf?.["x5t#S256"] === sha256(certificate, "base64rawurl");
}

export function connectionOf({ name, base_url, cert_pem, key_pem }: Partner): Options {
  const insecureSkipTLSVerify = LOOPBACK.test(base_url) && VERIFY_TLS !== "1";
  return {
    tlsAuth: [{ cert: cert_pem, key: key_pem }],
    insecureSkipTLSVerify,
    tags: { partner: name },
    userAgent: "gold-loadtest",
    // Leave out the URL, because each id in a URL would create another time series.
    systemTags: [
      "status",
      "method",
      "name",
      "group",
      "check",
      "error_code",
      "expected_response",
      "scenario",
      "proto",
    ],
    summaryTrendStats: ["count", "avg", "med", "p(95)", "p(99)", "max"],
  };
}

/** Prints the partner and the address, once, at the start of the run. */
export function announce({ name, base_url }: Partner): void {
  console.log(`Partner ${name} at ${base_url}.`);
  if (LOOPBACK.test(base_url) && VERIFY_TLS !== "1") {
    console.warn(
      "The server's certificate is not verified on this machine. To verify it: SSL_CERT_FILE=ca.pem and -e VERIFY_TLS=1",
    );
  }
}
