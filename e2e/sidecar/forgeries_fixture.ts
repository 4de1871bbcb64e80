/** Header lines as they are sent. */
export type Lines = readonly string[];

const XFCC = "X-Forwarded-Client-Cert";
const LONG_CHARACTERS = 8192;

/**
 * Returns header lines that claim another certificate than the caller's own. Both parameters are SHA-256
 * fingerprints in hexadecimal, which are not secret.
 */
export function identityClaims(other: string, own: string): Lines[] {
  const claim = `Hash=${other}`;
  const values = [
    claim,
    `Hash=${other.toUpperCase()}`,
    `Hash="${other}"`,
    `hash=${other}`,
    other,
    `${claim},Hash=${own}`,
    `Hash=${own},${claim}`,
    `Hash=${own}, ${claim}`,
    `Hash=${own};${claim}`,
    `By=spiffe://gold/service;${claim};Subject="CN=x,O=y"`,
    `Subject="CN=\\",${claim},\\"";Hash=${own}`,
    `Cert="-----BEGIN%20CERTIFICATE-----";${claim}`,
    "",
    claim.repeat(LONG_CHARACTERS / claim.length),
  ];
  const spellings = [XFCC.toLowerCase(), XFCC.toUpperCase(), "x-FORWARDED-client-CERT"];
  return [
    ...values.map((value) => [`${XFCC}: ${value}`]),
    ...spellings.map((name) => [`${name}: ${claim}`]),
    [`${XFCC}: ${claim}`, `${XFCC}: ${claim}`],
    [`${XFCC}: Hash=${own}`, `${XFCC}: ${claim}`],
    [`${XFCC}: ${claim}`, `${XFCC.toLowerCase()}: Hash=${own}`],
    // Other names that some parsers treat as the same name.
    [`X_Forwarded_Client_Cert: ${claim}`],
    [`X-Forwarded_Client-Cert: ${claim}`],
    [`${XFCC} : ${claim}`],
    [`${XFCC}\t: ${claim}`],
    [`X-Other: 1\r\n ${XFCC}: ${claim}`],
    [`${XFCC}:\r\n ${claim}`],
    [`X-Other: 1\n${XFCC}: ${claim}`],
    [`X-Other: 1\r${XFCC}: ${claim}`],
    [`X-Other: 1\0${XFCC}: ${claim}`],
    // Names in `Connection`: a proxy removes the headers that `Connection` names, but must not remove the
    // headers that the proxy adds itself.
    [`Connection: ${XFCC}, x-client-ip`],
    [`Connection: ${XFCC}`, `${XFCC}: ${claim}`],
    [`Client-Cert: :${other}:`, `X-Client-Cert: ${other}`, `X-SSL-Client-SHA256: ${other}`],
  ];
}

/** Returns header lines that claim another client address. */
export const addressClaims = (address: string): Lines[] => [
  ...[
    "X-Client-Ip",
    "x-client-ip",
    "X-CLIENT-IP",
    "X_Client_Ip",
    "X-Real-Ip",
    "X-Forwarded-For",
    "True-Client-Ip",
    "Client-Ip",
    "X-Cluster-Client-Ip",
    "X-Original-Forwarded-For",
    "X-Envoy-External-Address",
    "X-Envoy-Client-Address",
  ].map((name) => [`${name}: ${address}`]),
  [`X-Client-Ip: ${address}`, `X-Client-Ip: ${address}`],
  [`X-Forwarded-For: ${address}, ${address}`, `X-Forwarded-For: ${address}`],
  [`Forwarded: for=${address};proto=https`],
  ["Connection: x-client-ip", `X-Client-Ip: ${address}`],
  [
    `X-Forwarded-For: ${address}`,
    `X-Real-Ip: ${address}`,
    `X-Envoy-External-Address: ${address}`,
    "X-Envoy-Internal: true",
  ],
];

/**
 * Headers that control Envoy if it treats the client as internal. An effect would show in the reply, or in
 * the number of requests that arrive.
 */
export const STEERING: readonly Lines[] = [
  ["X-Envoy-Upstream-Rq-Timeout-Ms: 1"],
  ["X-Envoy-Upstream-Rq-Per-Try-Timeout-Ms: 1"],
  ["X-Envoy-Upstream-Stream-Duration-Ms: 1"],
  ["X-Envoy-Expected-Rq-Timeout-Ms: 1"],
  ["Grpc-Timeout: 1n"],
  [
    "X-Envoy-Retry-On: 5xx,retriable-status-codes",
    "X-Envoy-Retriable-Status-Codes: 200,201,403",
    "X-Envoy-Max-Retries: 5",
  ],
  [
    "X-Envoy-Hedge-On-Per-Try-Timeout: true",
    "X-Envoy-Upstream-Rq-Per-Try-Timeout-Ms: 1",
    "X-Envoy-Max-Retries: 5",
  ],
  ["X-Envoy-Original-Path: /v1/limits", "X-Envoy-Original-Url: /v1/limits"],
  ["X-Original-Url: /v1/limits", "X-Rewrite-Url: /v1/limits"],
  ["X-Http-Method-Override: DELETE", "X-Method-Override: DELETE"],
  [
    "X-Forwarded-Proto: http",
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-Port: 1",
    "X-Forwarded-Prefix: /evil",
  ],
  ["X-Envoy-Internal: true", "X-Envoy-Force-Trace: true", "X-Envoy-Decorator-Operation: evil"],
  ["X-Envoy-Immediate-Health-Check-Fail: true", "X-Envoy-Overloaded: true", "X-Envoy-Degraded: true"],
  ["X-Request-Id: req_of_somebody_else", "X-Client-Trace-Id: 1"],
  [`X-Gold-Proxy-Secret: ${"s".repeat(32)}`],
];
