import { type GoldClient, GoldError, type ProbeVerdict, TransportError } from "@gold-partner/client";
import { TIMESTAMP_WINDOW_SECONDS } from "@gold-partner/protocol";
import type { Finding } from "../command.ts";
import { type Credentials, memberOf } from "../credentials.ts";
import { EXIT, exitOf } from "../failure.ts";
import { examineCertificate, examineServiceDates } from "./certificate.ts";
import { durationText } from "./duration_text.ts";
import { examineCredentials } from "./foreign_credentials.ts";
import { examineWebhooks } from "./examine_webhooks.ts";
import { Fault, faultOf } from "./fault.ts";
import type { SignedRequest } from "./signed_request.ts";

interface DoctorInputs {
  readonly client: GoldClient;
  readonly credentials: Credentials;
  /** PEM text of the client certificate. */
  readonly certificate: string;
  readonly nowMs: number;
  /**
   * A request that the partner's own program signed. If it is given, it is checked instead of signature,
   * credentials and webhook.
   */
  readonly request?: SignedRequest | undefined;
}

interface Outcome {
  readonly detail: string;
  readonly cure?: string | undefined;
}

interface Check {
  readonly check: string;
  /** The checks that must succeed first. Otherwise this check is skipped. */
  readonly needs: readonly string[];
  readonly run: () => Promise<Outcome>;
}

/** Runs the checks one after another. Skips a check if one that it needs has failed or was skipped. */
export async function* examine(inputs: DoctorInputs): AsyncGenerator<Finding> {
  const unmet = new Set<string>();
  for (const { check, needs, run } of checksOf(inputs)) {
    const missing = needs.find((name) => unmet.has(name));
    const finding: Finding = missing === undefined
      ? await run().then((outcome) => ({ check, result: "ok", ...outcome }), (error) => failed(check, error))
      : { check, result: "skipped", detail: `needs ${missing}.` };
    if (finding.result !== "ok") unmet.add(check);
    yield finding;
  }
}

function failed(check: string, error: unknown): Finding {
  const fault = error instanceof GoldError ? faultOf(error) : error;
  if (!(fault instanceof Fault)) throw error;
  const { message: detail, cure, exit } = fault;
  return { check, result: "failed", detail, cure: cure || undefined, exit };
}

function checksOf(inputs: DoctorInputs): readonly Check[] {
  const { client, credentials, certificate, nowMs, request } = inputs;
  let error: GoldError | undefined;
  // Use the service's time if it replied, so that a wrong clock does not look like a wrong certificate.
  const serviceMs = () => nowMs - (client.clockOffsetSeconds ?? 0) * 1000;
  return [
    {
      check: "connection",
      needs: [],
      run: async () => {
        error = await client.getHealth().then(() => undefined, asGoldError);
        if (error && !isAboutCertificate(error) && error.code !== "ip_not_allowed") {
          throw await connectionFault(error, credentials, nowMs);
        }
        return { detail: `${credentials.base_url} is reached, and its certificate is trusted.` };
      },
    },
    {
      check: "certificate",
      needs: ["connection"],
      run: async () => {
        const [file, clientId] = [memberOf(credentials, "cert"), memberOf(credentials, "client_id")];
        const outcome = examineCertificate(certificate, { file, clientId, nowMs: serviceMs() });
        if (error && isAboutCertificate(error)) throw certificateFault(error, file);
        return outcome;
      },
    },
    { check: "clock", needs: ["certificate"], run: async () => examineClock(client) },
    {
      check: "address",
      needs: ["certificate"],
      run: async () => {
        if (error) throw error;
        return { detail: "registered: the service accepts requests from it." };
      },
    },
    {
      check: "token",
      needs: ["address"],
      run: async () => {
        await client.getCredentials();
        return { detail: "client_id and client_secret get a token for this certificate." };
      },
    },
    request
      ? { check: "request", needs: ["token"], run: () => examineRequest(client, request) }
      : { check: "signature", needs: ["clock", "token"], run: () => examineSignature(client, credentials) },
    ...(request ? [] : [
      // If the signature fails, the file's own key may not be the registered one. The registered one would
      // then be reported as unknown.
      {
        check: "credentials",
        needs: ["signature"],
        run: () => examineCredentials(client, credentials.file, serviceMs()),
      },
      { check: "webhook", needs: ["token"], run: () => examineWebhooks(client) },
    ]),
  ];
}

function asGoldError(error: unknown): GoldError {
  if (error instanceof GoldError) return error;
  throw error;
}

/**
 * Matches a transport's error message if the service ended the connection, with a TLS alert or without a
 * reason.
 */
const ENDED = /\b(?:alert|ECONNRESET|EPIPE|hang up|reset|closed|eof)\b/i;

/** Whether the service refused the client certificate: in the handshake, or in its reply. */
function isAboutCertificate({ code, cause }: GoldError): boolean {
  return code.startsWith("certificate_") || (cause instanceof TransportError && ENDED.test(cause.message));
}

function certificateFault(error: GoldError, file: string): Fault {
  if (error.status !== undefined) return faultOf(error);
  const { message } = error.cause as Error;
  // OpenSSL puts source files and numbers around the name of the alert.
  const [reason] = /alert:? [\w ]+/.exec(message) ?? [message];
  return new Fault(
    `the service ended the connection (${reason}). It does so when it does not accept ${file}.`,
    "Use the certificate that the operator issued for this environment, or ask whether it was revoked.",
    EXIT.usage,
  );
}

async function connectionFault(
  error: GoldError,
  { base_url, ca, file }: Credentials,
  nowMs: number,
): Promise<Fault> {
  const { code, cause, detail } = error;
  const reason = cause instanceof Error ? cause.message : detail;
  if (code === "tls_failed") {
    const datesFault = await examineServiceDates(new URL(base_url!), nowMs);
    if (datesFault) return datesFault;
    return new Fault(
      `the certificate of ${base_url} is not trusted (${reason}).`,
      `Set ca in ${file} to the CA of this environment (now: ${
        ca ?? "none"
      }), and base_url to a name in that certificate.`,
      EXIT.usage,
    );
  }
  if (code === "connection_failed" || code === "timed_out") {
    const cure = `Check base_url in ${file}, and that your firewall lets this machine connect to it.`;
    return new Fault(`${base_url} cannot be reached (${reason}).`, cure, EXIT.dependency);
  }
  if (code === "not_found") {
    const cure = `Spell base_url in ${file} as the operator spells it.`;
    return new Fault(`a service answers at ${base_url}, but not by this name (404 not_found).`, cure);
  }
  if (code === "reply_invalid") {
    const cure = `Check base_url in ${file}, and whether a proxy answers in place of the service.`;
    return new Fault(`${base_url} is not this service (${detail})`, cure, exitOf(error));
  }
  return faultOf(error);
}

function examineClock({ clockOffsetSeconds: offset }: GoldClient): Outcome {
  if (offset === undefined) return { detail: "unknown, because the reply has no Date." };
  // The Date header has no fractions of a second, and the reply took some time.
  if (Math.abs(offset) <= 2) return { detail: "within 2 seconds of the service's clock." };
  const where = offset < 0 ? "behind" : "ahead of";
  const detail = `${durationText(Math.abs(offset) * 1000)} ${where} the service's clock.`;
  if (Math.abs(offset) <= TIMESTAMP_WINDOW_SECONDS) return { detail };
  const limit = `Signed requests are accepted within ${durationText(TIMESTAMP_WINDOW_SECONDS * 1000)}.`;
  throw new Fault(`${detail} ${limit}`, "Set the clock, and keep it synchronised with NTP.");
}

async function examineSignature(client: GoldClient, { base_url, file }: Credentials): Promise<Outcome> {
  const verdict = await client.probeSignature();
  if (verdict.valid) return { detail: "signing_key signs requests that the service accepts." };
  if (verdict.mistake === "wrong_host") {
    const signed = new URL(verdict.canonical_string!.split("\n")[1]!).origin;
    const detail =
      `wrong_host: base_url is ${base_url}, but the service's own URL, which signatures cover, is ${signed}.`;
    throw new Fault(detail, `Set base_url in ${file} to ${signed}.`);
  }
  const registered = (await client.getCredentials()).signing_keys.map(({ kid }) => kid).join(", ");
  const cure = `Use a registered signing_key (kid: ${
    registered || "none"
  }), or ask the operator to register yours.`;
  throw new Fault(reasonsOf(verdict), cure);
}

async function examineRequest(client: GoldClient, { body, host }: SignedRequest): Promise<Outcome> {
  const verdict = await client.probeSignature(body);
  if (verdict.valid) return { detail: "correctly signed. Its nonce is now used." };
  const { canonical_string, mistake, steps } = verdict;
  if (canonical_string === null) {
    throw new Fault(`${mistake ?? "no common mistake"}: ${reasonsOf(verdict)}`, "Correct this header first.");
  }
  const cure = `Sign exactly ${JSON.stringify(canonical_string)}.`;
  const signed = new URL(canonical_string.split("\n")[1]!);
  // The service never sees the file's Host, because this program connects to base_url.
  if (mistake === null && steps.signature.ok === false && host !== undefined && host !== signed.host) {
    const detail =
      `the request addresses ${host}, but signatures cover the service's own URL, ${signed.origin}.`;
    throw new Fault(`wrong_host: ${detail} ${reasonsOf(verdict)}`, cure);
  }
  throw new Fault(`${mistake ?? "no common mistake"}: ${reasonsOf(verdict)}`, cure);
}

/** The details of the steps that failed. */
const reasonsOf = ({ steps }: ProbeVerdict): string =>
  Object.entries(steps).filter(([, { ok }]) => ok === false).map(([name, { detail }]) => `${name}: ${detail}`)
    .join(" ");
