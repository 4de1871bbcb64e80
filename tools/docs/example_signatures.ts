import { Buffer } from "node:buffer";
import { ENDPOINTS, hostBytes, openApiDocument, type OperationId } from "@gold-partner/protocol";
import { p256 } from "@noble/curves/nist.js";

/**
 * The public example key of RFC 6979, A.2.5. Its signatures are deterministic, so the page never changes by
 * itself.
 */
const PRIVATE_KEY = Buffer.from("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721", "hex");
const BASE_URL = "https://gold.example";
const HEADER = Buffer.from('{"alg":"ES256","b64":false,"crit":["b64"]}').toString("base64url");
/**
 * The example of the probe that shows a common mistake: its signature is over the path instead of the URL.
 */
const SIGNS_PATH = "probeSignature path_signed";

/** The parts of the API description that are read here. */
interface Described {
  readonly paths: Record<string, Record<string, { readonly parameters: readonly Header[] }>>;
}
interface Header {
  readonly name: string;
  readonly in: string;
  /** Only of a parameter of the path. */
  readonly example?: string;
  readonly examples: Record<string, { readonly value: string }>;
}

/** The path with its example ids. */
const targetOf = (path: string, parameters: readonly Header[]) =>
  path.replace(/\{(\w+)\}/g, (_, id) => parameters.find(({ name }) => name === id)!.example!);

/** Returns the file with the signatures of all example requests that are signed. */
export function writeExampleSignatures(): string {
  const { paths } = openApiDocument({ baseUrl: BASE_URL, environment: "sandbox" }) as unknown as Described;
  const signatures = (Object.keys(ENDPOINTS) as OperationId[]).flatMap((operation) => {
    const { method, path, signature, request } = ENDPOINTS[operation];
    const { parameters } = paths[path]![method.toLowerCase()]!;
    return Object.entries(signature && request ? request.examples : {}).map(([name, body]) => {
      const sent = (header: string) => parameters.find((one) => one.name === header)!.examples[name]!.value;
      const url = `${operation} ${name}` === SIGNS_PATH ? path : `${BASE_URL}${targetOf(path, parameters)}`;
      const bodySha256 = hostBytes.sha256Hex(hostBytes.utf8(JSON.stringify(body)));
      const lines = [method, url, bodySha256, sent("X-Timestamp"), sent("X-Nonce")];
      const bytes = p256.sign(Buffer.from(`${HEADER}.${lines.join("\n")}`), PRIVATE_KEY);
      return `  "${operation} ${name}":\n    "${HEADER}..${Buffer.from(bytes).toString("base64url")}",\n`;
    });
  });
  return `// Written by npm run docs: the signatures of the example requests, by operation and example. The key is the
// public example key of RFC 6979, A.2.5.
export const SIGNATURES: Readonly<Record<string, string>> = {
${signatures.join("")}};
`;
}
