import { type GoldClientManner, openTransport } from "@gold-partner/client";
import type { Command } from "../command.ts";
import { type Credentials, memberOf } from "../credentials.ts";
import { examine } from "../doctor/examine.ts";
import { readSignedRequest, replaying, type SignedRequest } from "../doctor/signed_request.ts";
import { readNamed } from "../named_file.ts";
import { optional } from "../values.ts";

/** A check reports within seconds. It must not wait until the service can be reached again. */
const ONE_TRY = { triesMax: 1, timeoutMs: 10_000 };

export const DOCTOR: Command = {
  name: "doctor",
  usage: "[--request FILE]",
  does:
    "checks connection, certificate, clock, address, token, signature, credentials and webhook endpoint, and " +
    "says what to do",
  help: "It sends one test event to your webhook endpoint. Nothing else is changed.",
  terms: {
    Options: [[
      "--request FILE",
      "checks a request that your own program signed, instead of the checks signature, credentials and webhook; " +
      "sends no test event. FILE is a POST to /v1/signed-probe as HTTP/1.1 writes it: request line, headers, " +
      "empty line, body.",
    ]],
  },
  options: { request: { type: "string" } },
  async run({ values, credentials: read, client: open, path, now }) {
    const file = optional(values, "request");
    const request = file === undefined
      ? undefined
      : readSignedRequest(await readNamed("--request", path(file)), file);
    const credentials = await read();
    const client = await open({ ...ONE_TRY, ...(request ? await optionsFor(request, credentials) : {}) });
    const certificate = await readText(credentials, "cert");
    return { findings: examine({ client, credentials, certificate, nowMs: now(), request }) };
  },
};

/**
 * Makes the client send this request as its probe. The request has its own signature, which replaces the
 * client's. So the client signs with any 64 bytes, and needs no key.
 */
async function optionsFor(request: SignedRequest, credentials: Credentials): Promise<GoldClientManner> {
  const [cert, key] = [await readText(credentials, "cert"), await readText(credentials, "key")];
  const ca = credentials.ca === undefined ? undefined : await readText(credentials, "ca");
  const transport = openTransport({ cert, key, ca });
  const sign = () => Promise.resolve(new Uint8Array(64).fill(1));
  return { transport: replaying(transport, request), signingKey: undefined, sign };
}

const readText = async (credentials: Credentials, name: "cert" | "key" | "ca"): Promise<string> =>
  new TextDecoder().decode(await readNamed(name, memberOf(credentials, name)));
