import { API_VERSION } from "../api_version.ts";
import { type Endpoint, type Json, TAGS } from "./endpoint.ts";
import { ENDPOINTS, type OperationId, operationsOf } from "./endpoints.ts";
import { INTRODUCTION } from "./introduction.ts";
import { parametersOf } from "./parameters.ts";
import { problemCodesOf } from "./problem_codes.ts";
import { REPLY_HEADERS } from "./reply_headers.ts";
import { problemExamples, responsesOf, sharedResponses } from "./responses.ts";
import { Schemas } from "./schemas.ts";
import { webhooks } from "./webhooks.ts";

export interface OpenApiOptions {
  readonly baseUrl: string;
  readonly environment: "sandbox" | "production";
}

/**
 * Makes the OpenAPI 3.1 document of the service. Equal options give equal bytes.
 *
 * @param options The service's public URL, and the environment. Production has fewer paths than the sandbox.
 * @example
 * ```ts
 * import { openApiDocument } from "@gold-partner/protocol";
 *
 * const document = openApiDocument({ baseUrl: "https://localhost:8443", environment: "sandbox" });
 * console.log(JSON.stringify(document).slice(0, 18)); // {"openapi":"3.1.0"
 * ```
 */
export function openApiDocument({ baseUrl, environment }: OpenApiOptions): Json {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Json>> = {};
  const used = new Set<string>();
  const codes = new Set<string>();
  for (const operation of operationsOf(environment)) {
    const { method, path, tag } = ENDPOINTS[operation];
    used.add(tag);
    for (const code of problemCodesOf(ENDPOINTS[operation])) codes.add(code);
    (paths[path] ??= {})[method.toLowerCase()] = describeOperation(operation, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      ...{ title: "Gold Trading Partner API", version: API_VERSION, description: INTRODUCTION },
      ...{ contact: { name: "The operator of this service", url: `${baseUrl}/docs` }, license: LICENCE },
    },
    servers: [{ url: baseUrl, description: environment }],
    tags: Object.entries(TAGS).filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(schemas),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: REPLY_HEADERS,
      examples: problemExamples(codes),
      responses: sharedResponses(schemas),
      schemas: schemas.components(),
    },
  };
}

const LICENCE = { name: "Apache-2.0", identifier: "Apache-2.0" };

const SECURITY_SCHEMES: Json = {
  clientCertificate: {
    type: "mutualTLS",
    description:
      "A certificate that the operator has issued for your signing request; several may be active.",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "From POST /oauth/token, over the same client certificate.",
  },
};

const CERTIFICATE = { clientCertificate: [] };
const CERTIFICATE_AND_TOKEN = { clientCertificate: [], accessToken: [] };
const SECURITY: Readonly<Record<Endpoint["token"], Json>> = {
  none: [CERTIFICATE],
  checked: [CERTIFICATE, CERTIFICATE_AND_TOKEN],
  required: [CERTIFICATE_AND_TOKEN],
};

function describeOperation(operationId: OperationId, schemas: Schemas): Json {
  const endpoint = ENDPOINTS[operationId];
  const { tag, summary, description, token } = endpoint;
  const parameters = parametersOf(operationId, endpoint);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: SECURITY[token],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.request ? { requestBody: requestBody(endpoint.request, schemas) } : {}),
    responses: responsesOf(endpoint, schemas),
  };
}

function requestBody(
  { mediaType, schema, examples, optional }: NonNullable<Endpoint["request"]>,
  schemas: Schemas,
): Json {
  return {
    required: mediaType !== "*/*" && !optional,
    content: {
      [mediaType]: {
        schema: schemas.refer(schema),
        examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
      },
    },
  };
}
