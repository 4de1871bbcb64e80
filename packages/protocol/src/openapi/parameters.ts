import {
  IDEMPOTENCY_KEY_FORM,
  NONCE_FORM,
  REQUEST_HEADER,
  SIGNATURE_FORM,
  TIMESTAMP_FORM,
} from "../header.ts";
import { ID_PREFIX, idForm, RESERVES_LIST_ID_FORM } from "../id.ts";
import { type Endpoint, type Json, pathParameters } from "./endpoint.ts";
import { type SentExample, sentExample } from "./examples/sent.ts";
import { ID, RESERVES_LIST_ID } from "./examples/example_values.ts";
import { queryParameters } from "./schemas.ts";

const PATH_PARAMETER: Readonly<Record<string, { readonly form: RegExp; readonly example: string }>> = {
  quote_id: { form: idForm(ID_PREFIX.quote), example: ID.buyQuote },
  order_id: { form: idForm(ID_PREFIX.order), example: ID.buyOrder },
  withdrawal_id: { form: idForm(ID_PREFIX.withdrawal), example: ID.withdrawal },
  funding_id: { form: idForm(ID_PREFIX.funding), example: ID.funding },
  change_id: { form: idForm(ID_PREFIX.change), example: ID.change },
  event_id: { form: idForm(ID_PREFIX.event), example: ID.buyEvent },
  reserves_list_id: { form: RESERVES_LIST_ID_FORM, example: RESERVES_LIST_ID },
};

/** The parameters of an operation: everything that it reads besides the body. */
export function parametersOf(operation: string, endpoint: Endpoint): Json[] {
  const { query, idempotent, signature, fixed, request, reply } = endpoint;
  const sent = Object.keys(request?.examples ?? {}).map((name) =>
    [name, sentExample(operation, name)] as const
  );
  return [
    ...pathParameters(endpoint).map(pathParameter),
    ...(query ? queryParameters(query) : []),
    ...(idempotent ? [idempotencyKey(sent)] : []),
    ...(signature ? signatureHeaders(signature === "required", sent) : []),
    ...(signature === "diagnosed" ? [prefer] : []),
    ...(fixed ? [ifNoneMatch] : []),
    ...(query && reply.mediaType === "text/event-stream" ? [lastEventId] : []),
  ];
}

function pathParameter(name: string): Json {
  const { form, example } = PATH_PARAMETER[name]!;
  return {
    name,
    in: "path",
    required: true,
    description:
      "The id as the service returned it. A malformed or unknown id, or another partner's id, gets 404.",
    schema: text(form),
    example,
  };
}

/** The example requests of an operation by name. */
type Sent = readonly (readonly [name: string, SentExample])[];

/** The values of a header in the example requests. They have the names of the requests' bodies. */
const examplesOf = (sent: Sent, member: keyof SentExample): Json =>
  Object.fromEntries(sent.map(([name, headers]) => [name, { value: headers[member] }]));

const idempotencyKey = (sent: Sent): Json => ({
  name: REQUEST_HEADER.idempotencyKey,
  in: "header",
  required: true,
  description:
    "Your own name for this operation, unique across all endpoints: 1 to 255 visible ASCII characters. Keys never expire. The same key with " +
    "the same parameters gets the first result again. Other parameters or another endpoint get 409 " +
    "idempotency_key_conflict.",
  schema: text(IDEMPOTENCY_KEY_FORM),
  examples: examplesOf(sent, "idempotencyKey"),
});

function signatureHeaders(required: boolean, sent: Sent): Json[] {
  const header = (name: string, form: RegExp, member: keyof SentExample, description: string): Json => ({
    name,
    in: "header",
    required,
    description,
    schema: text(form),
    examples: examplesOf(sent, member),
  });
  return [
    header(
      REQUEST_HEADER.timestamp,
      TIMESTAMP_FORM,
      "timestamp",
      "Unix time in seconds, 10 digits, at most 300 seconds from the service's clock.",
    ),
    header(
      REQUEST_HEADER.nonce,
      NONCE_FORM,
      "nonce",
      "A new value for every signed request, including retries; no value is accepted twice. 16 to 128 visible " +
        "ASCII characters without commas.",
    ),
    header(
      REQUEST_HEADER.signature,
      SIGNATURE_FORM,
      "signature",
      "A detached JWS (RFC 7515, appendix F) with an unencoded payload (RFC 7797) over the canonical " +
        "string: header, two dots, the 64 bytes of an ES256 signature. The protected header has exactly alg " +
        "ES256, b64 false, crit [b64] and, optionally, kid.",
    ),
  ];
}

const prefer: Json = {
  name: REQUEST_HEADER.prefer,
  in: "header",
  required: false,
  description:
    "`handling=strict` (RFC 7240): refuse the request as an order would be refused, instead of returning a verdict.",
  schema: { type: "string" },
};

const ifNoneMatch: Json = {
  name: REQUEST_HEADER.ifNoneMatch,
  in: "header",
  required: false,
  description: "The `ETag` of your copy (RFC 9110). 304 means that your copy is current.",
  schema: { type: "string" },
};

const lastEventId: Json = {
  name: REQUEST_HEADER.lastEventId,
  in: "header",
  required: false,
  description:
    "The `id` of the last message that you have, as `after`. A browser sends it when it opens the stream again.",
  schema: { type: "string" },
};

function text(form: RegExp): Json {
  return { type: "string", pattern: form.source };
}
