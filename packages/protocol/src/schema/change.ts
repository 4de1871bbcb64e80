// Changes of a partner's own registration. The partner requests them, and the operator decides.
import { JsonNumber } from "@gold-partner/canonical";
import { z } from "zod";
import { WEBHOOK_EVENT_TYPES } from "./event.ts";
import { requestBody } from "./request_body.ts";
import { idText, instant, openText } from "./text.ts";

/** How many changes of a partner may be requested or proposed at once. */
export const OPEN_CHANGES_MAX = 3;

/** The name of a signing key, in a form that a JWS protected header can carry as `kid`. */
export const KID_FORM: RegExp = /^[!-~]{1,128}$/;

const text = (rule: string, form: RegExp, description: string) =>
  z.string({ error: rule }).regex(form, rule).meta({ description });

/** For zod, a JsonNumber is an object. */
const object = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => value instanceof JsonNumber ? null : value, schema);

const COORDINATE_RULE = "x and y must each be 32 bytes in base64url without padding: 43 characters.";
const coordinate = (name: string) =>
  text(COORDINATE_RULE, /^[A-Za-z0-9_-]{43}$/, `The ${name} coordinate of the public key.`);

const signingKey = z.strictObject({
  kty: z.literal("EC", { error: 'kty must be "EC".' }).meta({ description: "The type of the key." }),
  crv: z.literal("P-256", { error: 'crv must be "P-256", the curve of ES256.' })
    .meta({ description: "The curve of the key." }),
  x: coordinate("x"),
  y: coordinate("y"),
  kid: text(
    "kid must be 1 to 128 visible ASCII characters, or must be left out.",
    KID_FORM,
    "Your own name for the key.",
  ).optional(),
}, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? "The key may have only kty, crv, x, y and kid. Never send a private key (d). If you sent one, make a new key."
      : "signing_key must be an object: the public key as a JWK.",
}).meta({ id: "SigningKeyRequest", description: "The public key as a JWK." });

const PEM_RULE =
  'certificate_request must be one PEM block "CERTIFICATE REQUEST" of at most 8,192 characters, with nothing around it.';
const certificateRequest = z.string({ error: PEM_RULE }).max(8192, PEM_RULE).regex(
  /^-----BEGIN ((?:NEW )?CERTIFICATE REQUEST)-----\r?\n[A-Za-z0-9+/=\r\n]+-----END \1-----\r?\n?$/,
  PEM_RULE,
).meta({ description: "A certificate request (PKCS #10) as PEM." });

const RANGE_RULE = "ip_range must be an IP address, or a range such as 203.0.113.0/24 or 2001:db8::/32.";
const ipRange = text(
  RANGE_RULE,
  /^[0-9A-Fa-f:.]{2,45}(\/[0-9]{1,3})?$/,
  "An IP address or a CIDR range: at most a /16, for IPv6 a /32.",
);

const URL_RULE = "url must be an https URL of at most 2,048 characters.";
const TYPES_RULE = "types must be an array with at least one type of event, such as order.executed.";
const wrongType = ({ input }: { readonly input?: unknown }) =>
  `types may have only types of events, such as order.executed; got ${JSON.stringify(input)}.`;
const webhookEndpoint = z.strictObject({
  url: z.string({ error: URL_RULE }).max(2048, URL_RULE).regex(/^https:\/\/[!-~]+$/, URL_RULE)
    .meta({ description: "Where events are to be sent." }),
  types: z.array(z.enum(WEBHOOK_EVENT_TYPES, { error: wrongType }), { error: TYPES_RULE })
    .min(1, TYPES_RULE).max(WEBHOOK_EVENT_TYPES.length, TYPES_RULE)
    .meta({ description: "The types of events that the endpoint gets. Without it: all." }).optional(),
}, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? "The endpoint may have only url and types. Its secret comes from the operator."
      : "webhook_endpoint must be an object with url and, if wanted, types.",
}).meta({ id: "WebhookEndpointRequest", description: "A further webhook endpoint." });

const CONTENT = {
  signing_key: object(signingKey).optional(),
  certificate_request: certificateRequest.optional(),
  ip_range: ipRange.optional(),
  webhook_endpoint: object(webhookEndpoint).optional(),
};
export type ChangeKind = keyof typeof CONTENT;
export const CHANGE_KINDS = Object.keys(CONTENT) as [ChangeKind, ...ChangeKind[]];

/** The content of a change: exactly one member. */
export type ChangeContent = {
  [Kind in ChangeKind]: { readonly [Name in Kind]: NonNullable<z.infer<(typeof CONTENT)[Kind]>> };
}[ChangeKind];

export const changeRequest = requestBody({
  id: "ChangeRequest",
  description: `Exactly one of ${CHANGE_KINDS.join(", ")}.`,
  oneOf: CHANGE_KINDS.map((kind) => ({ required: [kind] })),
}, CONTENT).transform((given, context): ChangeContent => {
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  if (members.length === 1) return Object.fromEntries(members) as ChangeContent;
  const message = `Send exactly one of ${CHANGE_KINDS.join(", ")}; got ${members.length || "none"} of them.`;
  context.issues.push({ code: "custom", input: undefined, message });
  return z.NEVER;
});

export const changeReply = z.object({
  change_id: idText("chg_"),
  kind: openText(CHANGE_KINDS, "What is to change; the member with this name has the content."),
  status: openText(
    ["requested", "proposed", "approved", "declined"],
    "requested: waits for the operator. proposed: waits for the operator's second person. approved: in force. " +
      "declined: ended without effect.",
  ),
  requested_at: instant.meta({ description: "When you requested the change." }),
  decided_at: instant.nullable().meta({
    description: "When the change was approved or declined; null if it is open.",
  }),
  reason: z.string().nullable().meta({ description: "Why the change was declined; null if it was not." }),
  certificate: z.string().nullable().meta({
    description: "The certificate as PEM, as long as it is active; null in any other case.",
  }),
  signing_key: z.object({
    kty: z.string().meta({ description: "The type of the key." }),
    crv: z.string().meta({ description: "The curve of the key." }),
    x: z.string().meta({ description: "The x coordinate of the public key." }),
    y: z.string().meta({ description: "The y coordinate of the public key." }),
    kid: z.string().meta({ description: "Your own name for the key." }).optional(),
  }).meta({ id: "RequestedSigningKey", description: "The requested signing key." }).optional(),
  certificate_request: z.string().meta({ description: "The certificate request as PEM." }).optional(),
  ip_range: z.string().meta({ description: "The requested address or range." }).optional(),
  webhook_endpoint: z.object({
    url: z.string().meta({ description: "Where events are to be sent." }),
    types: z.array(z.string()).meta({ description: "The types that it gets. Without it: all." }).optional(),
  }).meta({ id: "RequestedWebhookEndpoint", description: "The requested webhook endpoint." }).optional(),
}).meta({
  id: "AccountChange",
  description:
    "A change of what is registered for you. Nothing changes until the operator approves it. In production, that " +
    "takes two people.",
});
export type ChangeReply = z.infer<typeof changeReply>;

export const changesReply = z.object({
  items: z.array(changeReply).meta({ description: "The changes." }),
}).meta({ id: "AccountChanges", description: "Your newest 50 changes, newest first." });
export type ChangesReply = z.infer<typeof changesReply>;
