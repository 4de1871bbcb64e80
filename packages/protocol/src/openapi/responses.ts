import { REPLY_HEADER } from "../header.ts";
import {
  PROBLEM_MEDIA_TYPE,
  problemBody,
  problemSchema,
  tokenErrorBody,
  tokenErrorSchema,
} from "../problem.ts";
import {
  bindsKey,
  isProblemCode,
  PROBLEM_REGISTRY,
  type ProblemCode,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "../problem_registry.ts";
import { type Endpoint, type Examples, type Json, type JsonObject, pathParameters } from "./endpoint.ts";
import { ID } from "./examples/example_values.ts";
import { problemCodesOf } from "./problem_codes.ts";
import { headersNamed, ON_EVERY_REPLY } from "./reply_headers.ts";
import type { Schemas } from "./schemas.ts";

const JSON_MEDIA_TYPE = "application/json";
const IN_FORCE = [REPLY_HEADER.deprecation, REPLY_HEADER.sunset];

/** The replies of an operation by status: its success, then every refusal. */
export function responsesOf(endpoint: Endpoint, schemas: Schemas): Json {
  const byStatus = new Map<number, TokenProblemCode[]>();
  for (const code of problemCodesOf(endpoint)) {
    const { status } = TOKEN_PROBLEM_REGISTRY[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  const refusals = [...byStatus].map(([status, codes]) =>
    [`${status}`, refusalOf(endpoint, codes, schemas)] as const
  );
  return { ...successOf(endpoint, schemas), ...Object.fromEntries(refusals) };
}

/** The refusals that are the same for every operation, by their code. */
export function sharedResponses(schemas: Schemas): Json {
  return Object.fromEntries(
    (Object.keys(TOKEN_PROBLEM_REGISTRY) as TokenProblemCode[]).filter(isShared).map((code) =>
      [code, problemResponse([code], [], schemas)] as const
    ),
  );
}

/** One example of every problem, with the registry's cause and cure as its detail. */
export function problemExamples(used: ReadonlySet<string>): Json {
  const examples = Object.entries(TOKEN_PROBLEM_REGISTRY)
    .filter(([code]) => isProblemCode(code) && used.has(code));
  return Object.fromEntries(examples.map(([code, { title }]) => {
    const value = problemBody(code as ProblemCode, { requestId: ID.request });
    return [code, { summary: title, value: value as unknown as Json }];
  }));
}

function successOf(
  { reply, idempotent, oauth, signature, fixed }: Endpoint,
  schemas: Schemas,
): JsonObject {
  const { mediaType = JSON_MEDIA_TYPE, schema, examples, csv, description } = reply;
  const headers = [
    ...ON_EVERY_REPLY,
    ...IN_FORCE,
    ...(oauth ? ["Cache-Control"] : []),
    ...(signature === "diagnosed" ? [REPLY_HEADER.preferenceApplied] : []),
    ...(fixed ? [REPLY_HEADER.entityTag] : []),
  ];
  const content: Json = {
    [mediaType]: { schema: schemas.refer(schema), examples: named(examples) },
    ...(csv
      ? { "text/csv": { schema: { type: "string", description: csv.description }, example: csv.example } }
      : {}),
  };
  if (!idempotent) {
    return {
      "200": { description, headers: headersNamed(...headers), content },
      ...(fixed
        ? { "304": { description: "Your copy is current.", headers: headersNamed(...headers) } }
        : {}),
    };
  }
  return {
    "200": {
      description: "A repeat under the same Idempotency-Key: the first reply, byte for byte.",
      headers: headersNamed(...headers, REPLY_HEADER.idempotentReplayed),
      content,
    },
    "201": { description, headers: headersNamed(...headers), content },
  };
}

function refusalOf(endpoint: Endpoint, codes: readonly TokenProblemCode[], schemas: Schemas): Json {
  if (endpoint.oauth) return oauthResponse(codes, schemas);
  const [code, ...others] = codes;
  // not_found binds the Idempotency-Key only if it refuses an order's quote_id, which is in the body. A
  // not_found for an id in the path never binds the key.
  const refused = pathParameters(endpoint).length > 0 ? "other" : "order_quote_id";
  const replayed = endpoint.idempotent && codes.some((one) => isProblemCode(one) && bindsKey(one, refused));
  if (others.length === 0 && isShared(code!) && !replayed) return { $ref: `#/components/responses/${code}` };
  return problemResponse(codes, replayed ? [REPLY_HEADER.idempotentReplayed] : [], schemas);
}

/** Returns true if the code is the only problem with its status. */
function isShared(code: TokenProblemCode): boolean {
  const { status } = TOKEN_PROBLEM_REGISTRY[code];
  return Object.values(PROBLEM_REGISTRY).filter((entry) => entry.status === status).length === 1;
}

function problemResponse(
  codes: readonly TokenProblemCode[],
  headers: readonly string[],
  schemas: Schemas,
): Json {
  return {
    description: describe(codes),
    headers: headersNamed(...ON_EVERY_REPLY, ...headersOf(codes), ...headers),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: schemas.refer(problemSchema),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const),
        ),
      },
    },
    "x-problem-codes": codes,
  };
}

/**
 * Refusals in OAuth's form. The proxy's own refusals have the form of a problem here, too, because the proxy
 * does not distinguish paths.
 */
function oauthResponse(codes: readonly TokenProblemCode[], schemas: Schemas): Json {
  const bodies = codes.map((code) =>
    [code, tokenErrorBody(code, { requestId: ID.request }) as unknown as Json] as const
  );
  return {
    description: describe(codes),
    headers: headersNamed(...ON_EVERY_REPLY, "Cache-Control", ...headersOf(codes)),
    content: {
      [JSON_MEDIA_TYPE]: {
        schema: schemas.refer(tokenErrorSchema),
        examples: named(Object.fromEntries(bodies)),
      },
      [PROBLEM_MEDIA_TYPE]: { schema: schemas.refer(problemSchema) },
    },
    "x-problem-codes": codes,
  };
}

function headersOf(codes: readonly TokenProblemCode[]): string[] {
  const statuses = new Set(codes.map((code) => TOKEN_PROBLEM_REGISTRY[code].status));
  return [
    ...(statuses.has(401) ? [REPLY_HEADER.wwwAuthenticate] : []),
    ...(statuses.has(405) ? ["Allow"] : []),
    ...(statuses.has(429) || statuses.has(503) || codes.includes("idempotency_request_in_progress")
      ? [REPLY_HEADER.retryAfter]
      : []),
  ];
}

function describe(codes: readonly TokenProblemCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${TOKEN_PROBLEM_REGISTRY[code].title}.`).join("\n");
}

function named(examples: Examples): Json {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
