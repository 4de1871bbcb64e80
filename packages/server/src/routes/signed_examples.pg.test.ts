import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { jwkThumbprint } from "@gold-partner/jws";
import { ENDPOINTS, openApiDocument, type OperationId, operationsOf } from "@gold-partner/protocol";
import { suiteService } from "../../testing/service.ts";

const BASE_URL = "https://gold.example";
/** The public example key of RFC 6979, A.2.5, which signed the examples. */
const JWK = {
  kty: "EC",
  crv: "P-256",
  x: "YP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Y",
  y: "eQP-EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk",
} as const;

/** What a service without quotes and funds replies to each example. The signature is verified before that. */
const REPLIES: Readonly<Record<string, string>> = {
  "probeSignature valid": "200 null",
  "probeSignature path_signed": "200 path_not_url",
  "createOrder buy": "404 not_found",
  "createOrder sell": "404 not_found",
  "createWithdrawal withdrawal": "422 insufficient_funds",
  "cancelWithdrawal cancelled": "404 not_found",
  "requestChange signing_key": "201 undefined",
  "requestChange certificate_request": "201 undefined",
  "requestChange ip_range": "201 undefined",
};

interface Described {
  readonly paths: Record<string, Record<string, { readonly parameters: readonly Header[] }>>;
}
interface Header {
  readonly name: string;
  readonly example?: string;
  readonly examples?: Record<string, { readonly value: string }>;
}

describe("the signed example requests of the OpenAPI document", () => {
  const service = suiteService({ baseUrl: BASE_URL });
  before(async () => {
    const { partner, books: { sql } } = service;
    await sql`select gold.add_signing_key(${partner.clientId}, ${await jwkThumbprint(JWK)}, null, ${
      sql.json(JWK)
    }::jsonb)`;
    // The examples are older than every credential of this service.
    for (const table of ["certificate", "signing_key", "client_secret", "token_key"]) {
      await sql`update gold.${sql(table)} set not_before = '2026-01-01'`;
    }
    await sql`update gold.registry_version set version = version + 1`;
    await service.refresh();
  });

  it("pass every check of the service at their own time, before the account is read", async () => {
    const { paths } = openApiDocument({ baseUrl: BASE_URL, environment: "sandbox" }) as unknown as Described;
    const replies: Record<string, string> = {};
    const signed = operationsOf("sandbox").filter((operation) => ENDPOINTS[operation].signature);
    for (const operation of signed) {
      for (const [name, body] of Object.entries(ENDPOINTS[operation].request!.examples)) {
        replies[`${operation} ${name}`] = await send(operation, name, JSON.stringify(body), paths);
      }
    }
    assertEquals(replies, REPLIES);
  });

  async function send(operation: OperationId, name: string, body: string, paths: Described["paths"]) {
    const { method, path } = ENDPOINTS[operation];
    const { parameters } = paths[path]![method.toLowerCase()]!;
    const headers = Object.fromEntries(
      parameters.flatMap((header) => header.examples ? [[header.name, header.examples[name]!.value]] : []),
    );
    service.shiftClock(0);
    service.shiftClock(Number(headers["X-Timestamp"]) * 1000 - service.now());
    const target = path.replace(/\{(\w+)\}/g, (_, id) => parameters.find((one) => one.name === id)!.example!);
    const reply = await service.send(target, { method, body, headers });
    const { code, mistake } = await reply.json() as { code?: string; mistake?: string };
    return `${reply.status} ${code ?? mistake}`;
  }
});
