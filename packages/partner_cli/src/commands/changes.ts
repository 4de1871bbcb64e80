import type { ChangeRequest, SigningKeyRequest, WebhookEndpointRequest } from "@gold-partner/client";
import { Buffer } from "node:buffer";
import { createPublicKey } from "node:crypto";
import type { Command, Invocation } from "../command.ts";
import { usage } from "../failure.ts";
import { readNamed } from "../named_file.ts";
import { RECORD, RECORD_TERM, recordingClient } from "../record.ts";
import { optional } from "../values.ts";
import { wholeId } from "../whole_id.ts";
import { KEY, KEY_TERM, writeOptions } from "./trading.ts";

export const CHANGE: Command = {
  name: "change",
  usage:
    "--signing-key FILE | --csr FILE | --ip RANGE | --webhook URL [--type TYPE …] [--key KEY] [--record FILE]",
  does:
    "requests a further signing key, certificate, IP range or webhook endpoint with a signed request. Nothing " +
    "changes until the operator approves it",
  help:
    "FILE is a PEM or a JWK of the key, of which only the public part is sent, or the PEM of a certificate request. " +
    "`gold-partner changes` shows what became of it, and the certificate.",
  terms: { Options: [KEY_TERM, RECORD_TERM] },
  options: {
    "signing-key": { type: "string" },
    csr: { type: "string" },
    ip: { type: "string" },
    webhook: { type: "string" },
    type: { type: "string", multiple: true },
    ...KEY,
    ...RECORD,
  },
  async run(invocation) {
    const request = await requestOf(invocation);
    const options = writeOptions(optional(invocation.values, "key"));
    return { reply: await (await recordingClient(invocation)).requestChange(request, options) };
  },
};

async function requestOf({ values, path }: Invocation): Promise<ChangeRequest> {
  const [key, csr] = [optional(values, "signing-key"), optional(values, "csr")];
  const [ip_range, url] = [optional(values, "ip"), optional(values, "webhook")];
  if ([key, csr, ip_range, url].filter((each) => each !== undefined).length !== 1) {
    throw usage("Give exactly one of --signing-key, --csr, --ip and --webhook.");
  }
  const types = values.type as WebhookEndpointRequest["types"];
  if (types && url === undefined) throw usage("--type belongs to --webhook.");
  const textOf = async (name: string, file: string) =>
    Buffer.from(await readNamed(name, path(file))).toString();
  if (key !== undefined) return { signing_key: publicKeyOf(await textOf("--signing-key", key), key) };
  if (csr !== undefined) return { certificate_request: await textOf("--csr", csr) };
  if (ip_range !== undefined) return { ip_range };
  return { webhook_endpoint: { url: url!, ...(types ? { types } : {}) } };
}

/** The public part of a key, with the name that a JWK gives it. */
function publicKeyOf(text: string, file: string): SigningKeyRequest {
  try {
    const jwk = text.trimStart().startsWith("{") ? JSON.parse(text) : undefined;
    const key = createPublicKey(jwk ? { key: jwk, format: "jwk" } : text).export({ format: "jwk" });
    const { kty, crv, x, y } = key as unknown as SigningKeyRequest;
    return { kty, crv, x, y, ...(jwk?.kid === undefined ? {} : { kid: jwk.kid }) };
  } catch (error) {
    throw usage(`${file} is not a PEM or a JWK of an EC key on P-256: ${(error as Error).message}`);
  }
}

export const CHANGES: Command = {
  name: "changes",
  usage: "[--id CHANGE_ID]",
  does: "lists the newest 50 changes that you requested, or shows one, with its certificate",
  help: "The end of an id is enough, as the list shows it: chg_…d1c7b9d6 or d1c7b9d6.",
  options: { id: { type: "string" } },
  async run({ client, values }) {
    const [opened, id] = [await client(), optional(values, "id")];
    if (id !== undefined) {
      const listIds = async () => (await opened.getChanges()).items.map(({ change_id }) => change_id);
      return { reply: await opened.getChange(await wholeId(id, "chg_", listIds)) };
    }
    const { items } = await opened.getChanges();
    const rows = items.map(({ change_id, kind, status, requested_at, decided_at, reason }) => ({
      ...{ change_id, kind, status, requested_at, decided_at, reason },
    }));
    return { reply: { items }, rows };
  },
};
