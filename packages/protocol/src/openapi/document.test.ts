import { readJson } from "@gold-partner/canonical";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { hostBytes } from "../bytes.ts";
import { problemSchema, tokenErrorSchema } from "../problem.ts";
import { webhookEvent } from "../schema/mod.ts";
import { parseWebhookSecret, verifyWebhook } from "../webhook.ts";
import { openApiDocument, type OpenApiOptions } from "./document.ts";
import type { Endpoint, Json } from "./endpoint.ts";
import { ENDPOINTS, operationsOf, routePath } from "./endpoints.ts";
import { EVENTS, WEBHOOKS } from "./examples/events.ts";

/** A value in the document. A test casts it when it is a text or a list. */
interface Loose {
  readonly [name: string]: Loose;
}

const SANDBOX: OpenApiOptions = { baseUrl: "https://localhost:8443", environment: "sandbox" };
const loose = (options: OpenApiOptions) => openApiDocument(options) as unknown as Loose;
const sandbox = loose(SANDBOX);
const operations = Object.entries(ENDPOINTS) as [string, Endpoint][];

/** Every object in the document, with the path that leads to it. */
function* objectsIn(value: unknown, path = ""): Generator<[path: string, object: Loose]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value as Loose];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${name}`);
}

/** Whether a member of a schema, or the schema that it refers to, has a description. */
const described = (member: Loose): boolean =>
  member["description"] !== undefined ||
  componentText(`${member["$ref"] ?? ""}`.split("/").at(-1)!) !== undefined;
const componentText = (name: string) =>
  name === "" ? undefined : sandbox["components"]!["schemas"]![name]!["description"];

const read = (value: Json | undefined) => readJson(hostBytes.utf8(JSON.stringify(value)));

describe("openApiDocument()", () => {
  it("has every operation once, under its method and path, with all its parameters", () => {
    const described = Object.values(sandbox["paths"]!).flatMap((methods) => Object.values(methods));
    assertEquals(
      described.map(({ operationId }) => operationId as unknown as string).sort(),
      operations.map(([id]) => id).sort(),
    );
    for (const [id, { method, path, signature, idempotent, token, query, fixed }] of operations) {
      const operation = sandbox["paths"]![path]![method.toLowerCase()]!;
      const parameters = (operation["parameters"] ?? []) as unknown as Loose[];
      const names = parameters.map(({ name }) => name as unknown as string);
      assertEquals(`${operation["operationId"]}`, id);
      assertEquals(names.includes("X-JWS-Signature"), signature !== undefined, id);
      assertEquals(names.includes("Idempotency-Key"), idempotent === true, id);
      assertEquals(JSON.stringify(operation["security"]).includes("accessToken"), token !== "none", id);
      assertEquals(names.filter((name) => path.includes(`{${name}}`)).length, path.split("{").length - 1, id);
      for (const name of Object.keys(query?.shape ?? {})) assert(names.includes(name), `${id}: ${name}`);
      assertEquals(Object.hasOwn(operation["responses"]!, "201"), idempotent === true, id);
      assert(Object.hasOwn(operation["responses"]!, "200"), id);
      assertEquals(Object.hasOwn(operation["responses"]!, "304"), fixed === true, id);
      assertEquals(names.includes("If-None-Match"), fixed === true, id);
    }
  });

  it("describes every member and every parameter in words", () => {
    const wordless = [...objectsIn(sandbox)].flatMap(([path, { properties = {} }]) =>
      Object.entries(properties).filter(([, member]) => !described(member)).map(([name]) => `${path}/${name}`)
    );
    // These only narrow a member that the event's schema describes.
    assertEquals(wordless.filter((path) => !path.startsWith("/webhooks/")), []);
    for (const [, { parameters }] of objectsIn(sandbox)) {
      for (const parameter of Object.values(parameters ?? {})) assert(parameter["description"]);
    }
  });

  it("asks for a Go float64 in every number, without the format that makes money a double in Java", () => {
    const numbers = [...objectsIn(sandbox)].filter(([, { type }]) =>
      [type as unknown].flat().includes("number")
    );
    assert(numbers.length >= 50, `${numbers.length}`);
    assertEquals(numbers.filter(([, schema]) => `${schema["x-go-type"]}` !== "float64"), []);
    assertEquals(numbers.filter(([, { format }]) => format !== undefined), []);
  });

  it("has no value twice among the nonces, keys and signatures of its examples", () => {
    const headers = [...objectsIn(sandbox)].flatMap(([, { parameters }]) => Object.values(parameters ?? {}))
      .filter((parameter) =>
        /^(Idempotency-Key|X-Nonce|X-JWS-Signature|webhook-(id|signature))$/.test(`${parameter["name"]}`)
      );
    const values = headers.flatMap(({ example, examples = {} }) =>
      example === undefined ? Object.values(examples).map(({ value }) => `${value}`) : [`${example}`]
    );
    assert(values.length >= 40 && values.every((value) => value !== ""));
    assertEquals(values.length, new Set(values).size);
  });

  it("has webhooks whose examples verify with the secret that it names", () => {
    for (const [type, { post }] of Object.entries(sandbox["webhooks"]!)) {
      const [, secret = ""] = /`(whsec_[^`]+)`/.exec(`${post!["description"]}`) ?? [];
      const headers = Object.fromEntries(
        (post!["parameters"] as unknown as { name: string; example: string }[])
          .map(({ name, example }) => [name, example]),
      );
      const { event } = post!["requestBody"]!["content"]!["application/json"]!["examples"]!;
      const nowSeconds = Number(headers["webhook-timestamp"]);
      const { id } = verifyWebhook(JSON.stringify(event!["value"]), headers, [parseWebhookSecret(secret)], {
        nowSeconds,
      });
      assertEquals<unknown>([id, type], [event!["value"]!["id"], event!["value"]!["type"]]);
    }
  });

  it("says whether a body may be omitted", () => {
    const required = (path: string) =>
      sandbox["paths"]![path]!["post"]!["requestBody"]!["required"] as unknown;
    assertEquals(["/v1/orders", "/v1/signed-probe", "/v1/webhook/test"].map(required), [true, false, false]);
  });

  it("describes the paths under /sandbox/, their tag and their schemas only in the sandbox", () => {
    const production = loose({ ...SANDBOX, environment: "production" });
    assert(Object.hasOwn(sandbox["paths"]!, "/sandbox/fund"));
    assertEquals(
      Object.keys(production["paths"]!),
      Object.keys(sandbox["paths"]!).filter((path) => !path.startsWith("/sandbox/")),
    );
    assertEquals(operationsOf("production").length, operationsOf("sandbox").length - 12);
    assertEquals(/simulat/i.test(JSON.stringify(production)), false);
  });

  it("is the same on every call, and names its base URL and environment", () => {
    assertEquals(JSON.stringify(openApiDocument(SANDBOX)), JSON.stringify(openApiDocument(SANDBOX)));
    const [server] = sandbox["servers"] as unknown as Loose[];
    assertEquals<unknown>(server, { url: "https://localhost:8443", description: "sandbox" });
    const names = Object.keys(sandbox["components"]!["schemas"]!);
    assertEquals(names, names.toSorted());
  });

  it("has no dangling reference and no unused component", () => {
    const referred = new Set<string>();
    for (const [path, object] of objectsIn(sandbox)) {
      const $ref: unknown = object["$ref"];
      if (typeof $ref !== "string") continue;
      const found = $ref.slice(2).split("/").reduce<Loose | undefined>(
        (at, name) => at?.[name],
        sandbox,
      );
      assert(found, `${path} refers to ${$ref}, which does not exist`);
      referred.add($ref);
    }
    const { securitySchemes: _named, ...components } = sandbox["components"]!;
    for (const [kind, members] of Object.entries(components)) {
      for (const name of Object.keys(members)) {
        assert(referred.has(`#/components/${kind}/${name}`), `nothing refers to ${kind}/${name}`);
      }
    }
  });

  it("has at least one example for every reply, and each schema accepts its own examples", () => {
    for (const [id, { request, reply }] of operations) {
      assert(Object.keys(reply.examples).length > 0, id);
      for (const [name, example] of Object.entries(reply.examples)) {
        assert(reply.schema.safeParse(example).success, `${id}: the reply ${name}`);
      }
      for (const [name, example] of Object.entries(request?.examples ?? {})) {
        const value = request!.mediaType === "application/json" ? read(example) : example;
        assert(request!.schema.safeParse(value).success, `${id}: the request ${name}`);
        assert(Object.hasOwn(reply.examples, name), `${id}: the request ${name} has no reply`);
      }
      assertMatch(reply.description, /^[A-Z].*\.$/, id);
    }
  });

  it("has an example for every refusal, with its code, its status and its endpoint's format", () => {
    let seen = 0;
    for (const [path, object] of objectsIn(sandbox["paths"])) {
      const [, status] = /\/responses\/([45]\d\d)$/.exec(path) ?? [];
      if (!status) continue;
      const refusal = resolve(object);
      const [[mediaType, { examples }]] = Object.entries(refusal["content"]!) as unknown as [[string, Loose]];
      const oauth = path.startsWith("//oauth/token/");
      assertEquals(mediaType, oauth ? "application/json" : "application/problem+json");
      assertEquals(Object.keys(examples!), refusal["x-problem-codes"] as unknown as string[]);
      for (const [code, example] of Object.entries(examples!)) {
        const body = resolve(example)["value"] as unknown as { code: string; status?: number };
        assert((oauth ? tokenErrorSchema : problemSchema).safeParse(body).success, `${path}: ${code}`);
        assertEquals([body.code, `${body.status ?? status}`], [code, status], path);
        seen++;
      }
    }
    assert(seen > 400);
  });

  it("lists the headers that a reply of each status has", () => {
    const headersAt = (path: string, method: string, status: number) =>
      Object.keys(resolve(sandbox["paths"]![path]![method]!["responses"]![status]!)["headers"]!);
    const always = ["X-Request-Id", "RateLimit-Policy", "RateLimit"];
    const replayed = [...always, "Idempotent-Replayed"];
    for (
      const [status, headers] of [
        [400, always],
        [401, [...always, "WWW-Authenticate"]],
        [405, [...always, "Allow"]],
        // Expect the header of a replay for 404, 409 and 422, which include refusals that bind the
        // Idempotency-Key. Expect Retry-After for 409, which includes idempotency_request_in_progress.
        [404, replayed],
        [409, [...always, "Retry-After", "Idempotent-Replayed"]],
        [422, replayed],
        [429, [...always, "Retry-After"]],
        [503, [...always, "Retry-After"]],
        [200, [...always, "Deprecation", "Sunset", "Idempotent-Replayed"]],
        [201, [...always, "Deprecation", "Sunset"]],
      ] as const
    ) assertEquals(headersAt("/v1/orders", "post", status), [...headers], `${status}`);
    assertEquals(headersAt("/v1/orders/{order_id}", "get", 404), always);
    // This reply is never replayed. A 404 for an id in the path does not bind the key.
    assertEquals(headersAt("/v1/events/{event_id}/redeliver", "post", 404), always);
    assert(headersAt("/oauth/token", "post", 200).includes("Cache-Control"));
    assert(headersAt("/oauth/token", "post", 401).includes("WWW-Authenticate"));
    assert(headersAt("/v1/signed-probe", "post", 200).includes("Preference-Applied"));
    for (const status of [200, 304]) assert(headersAt("/docs", "get", status).includes("ETag"));
  });

  it("has a webhook for every type of event, with an example of that type", () => {
    assertEquals(Object.keys(sandbox["webhooks"]!), Object.keys(EVENTS));
    const ids = new Set(Object.values(EVENTS).map(({ id }) => id));
    assertEquals(ids.size, Object.keys(EVENTS).length);
    for (const [type, event] of Object.entries(WEBHOOKS)) {
      const added = Object.keys(event).slice(-2);
      assertEquals([event.type, ...added], [type, "previous_sequence", "client_id"]);
      assert(webhookEvent.safeParse(event).success, type);
    }
  });

  it("describes what each reply to a webhook does, and which replies may have Retry-After", () => {
    for (const { post } of Object.values(sandbox["webhooks"]!) as Loose[]) {
      const responses: Loose = post!["responses"]!;
      assertEquals(Object.keys(responses).toSorted(), ["2XX", "410", "429", "503", "default"].toSorted());
      for (const status of ["429", "503"]) {
        assertEquals(Object.keys(responses[status]!["headers"]!), ["Retry-After"], status);
      }
    }
  });
});

function resolve(object: Loose): Loose {
  const $ref: unknown = object["$ref"];
  if (typeof $ref !== "string") return object;
  return $ref.slice(2).split("/").reduce<Loose>((at, name) => at[name]!, sandbox);
}

describe("ENDPOINTS", () => {
  it("has one operation for each method and path, with a summary and a description", () => {
    const routes = operations.map(([, { method, path }]) => `${method} ${path}`);
    assertEquals(new Set(routes).size, operations.length);
    for (const [id, { summary, description }] of operations) {
      assertMatch(summary, /^[A-Z].{5,60}[^.]$/, id);
      assertMatch(description, /^[A-Z][^]{20,}\.$/, id);
    }
  });

  it("converts a path to Hono's format", () => {
    assertEquals(routePath(ENDPOINTS.getOrder), "/v1/orders/:order_id");
    assertEquals(routePath(ENDPOINTS.getTokenKeys), "/.well-known/jwks.json");
  });
});
