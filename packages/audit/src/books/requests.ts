// The signed requests that are stored with their replies.
import { canonicalJson, canonicalRequest, type CanonicalValue, readJson } from "@gold-partner/canonical";
import {
  emptyRequest,
  hasParam,
  hostBytes,
  idempotencyFingerprint,
  type IdPrefix,
  type Members,
  ORDER,
  orderRequest,
  type ParamMember,
  uuidOfId,
  WITHDRAWAL,
  withdrawalRequest,
} from "@gold-partner/protocol";
import type { Findings } from "../findings.ts";
import type { Notes } from "../registry/notes.ts";
import type { Row } from "../snapshot.ts";
import type { Table } from "../tables.ts";
import { sha256Hex } from "../values.ts";
import type { Books, RequestTerms } from "./context.ts";
import { wantedText } from "./requested_change.ts";
import { Signatures } from "./signatures.ts";

export async function requestTerms(
  { all }: Notes,
  registry: Readonly<Partial<Record<Table, readonly Row[]>>>,
  share: number,
): Promise<RequestTerms> {
  const [deployment] = registry.deployment ?? [];
  const settled = all.filter(({ action }) => action === "deployment.settle").map(({ subject }) => subject);
  return {
    keptSince: deployment?.requests_kept_since ?? -Infinity,
    mostStripes: Math.max(
      1,
      ...all.filter(({ action }) => action === "deployment.stripes").map(({ subject }) => Number(subject)),
    ),
    baseUrls: [...new Set([deployment?.public_base_url, ...settled].filter((url) => url !== undefined))],
    signatures: await Signatures.open(registry.signing_key ?? [], share),
  };
}

/** The parts of a stored request. Only the body can contain a line feed. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
  readonly body: Buffer;
}

/** Reads a stored request. Throws if a part is missing. */
export function readRequest(hex: string): RequestParts {
  const bytes = Buffer.from(hex, "hex");
  const ends: number[] = [];
  for (let from = 0; ends.length < 5; from = ends.at(-1)! + 1) {
    const end = bytes.indexOf(10, from);
    if (end < 0) throw new Error("a stored request has fewer than five line feeds");
    ends.push(end);
  }
  const [method, target, timestamp, nonce, signature] = bytes.toString("latin1", 0, ends[4]).split("\n") as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { method, target, timestamp, nonce, signature, body: bytes.subarray(ends[4]! + 1) };
}

/** The X-Timestamp of a stored request, in seconds. NaN without a readable one. */
export function timestampOf({ request }: Row): number {
  try {
    return parseInt(readRequest(request).timestamp);
  } catch {
    return NaN;
  }
}

/** The answer that a record's line in the hash chain commits to (docs/chain.md). */
export function answerOf(
  { key, fingerprint, status, request_id, body, request, signing_thumbprint }: Row,
): string {
  return sha256Hex(
    [
      key,
      fingerprint,
      status,
      request_id,
      sha256Hex(body),
      sha256Hex(Buffer.from(request ?? "", "hex")),
      signing_thumbprint ?? "",
      "",
    ].join("\n"),
  );
}

/** A record without an answer was booked before 0.4.0, by a process of 0.3.0, or without a key. */
export function checkAnswer(
  { findings, migratedAt }: Books,
  kind: "order" | "funding" | "withdrawal" | "cancellation",
  record: Row,
  reply: Row | undefined,
): void {
  const row = `${kind} ${record.id} answer`;
  if (record.answer !== null) {
    findings.expect("answer_is_bound", row, reply && answerOf(reply), record.answer);
  } else if (reply?.request || kind === "funding" && reply && record.created_at > migratedAt) {
    findings.add("answer_is_bound", row, answerOf(reply), "nothing");
  }
}

const requestMembers = (members: Members) =>
  Object.entries(members).filter(([, member]) => hasParam(member)) as [string, ParamMember][];
const REQUESTS = {
  order: [orderRequest, requestMembers(ORDER)],
  withdrawal: [withdrawalRequest, requestMembers(WITHDRAWAL)],
  cancellation: [emptyRequest, []],
} as const;

/** The value of the column if the request's member decides it. An empty text is the same as none. */
function columnValue({ param, form, prefix }: ParamMember, member: unknown): unknown {
  const value = member === undefined ? null : param.parse(member);
  return form === "id" ? uuidOfId(prefix as IdPrefix, value as string) : value === "" ? null : value;
}

/** Checks every member of the stored request of an executed order, withdrawal or cancellation against its record. */
export async function checkExecuted(
  books: Books,
  kind: keyof typeof REQUESTS,
  record: Row,
  reply: Row,
  quote: Row | undefined,
): Promise<void> {
  const { findings, requests, totals, migratedAt } = books;
  if (!reply.request || !reply.signing_thumbprint) {
    if (record.answer !== null || reply.created_at > requests.keptSince) {
      findings.add("request_is_kept", `${kind} ${record.id}`, "its signed request", "nothing");
    } else if (reply.created_at > migratedAt) totals.unsigned++;
    return;
  }
  const params = await checkRequest(books, reply, pathOf(kind, record));
  if (params === undefined) return;
  const row = `idempotency_key ${reply.client_id} ${reply.key} request`;
  try {
    const [schema, members] = REQUESTS[kind];
    schema.parse(params);
    const expected = members.map(([name, member]) =>
      columnValue(member, (params as Record<string, unknown>)[name]) ??
        (member.inherited ? quote?.[member.column!] : null)
    );
    const found = members.map(([, { column }]) => record[column!]);
    findings.expect("request_matches", row, textOf(expected), textOf(found));
  } catch (error) {
    findings.add("request_matches", row, "a body that the operation accepts", (error as Error).message);
  }
}

const pathOf = (kind: keyof typeof REQUESTS, { id }: Row) =>
  kind === "order"
    ? "/v1/orders"
    : kind === "withdrawal"
    ? "/v1/withdrawals"
    : `/v1/withdrawals/wd_${id}/cancel`;

/** Checks that a requested change has exactly the content that its partner signed. */
export async function checkRequestedChange(books: Books, change: Row, reply: Row): Promise<void> {
  const row = `change ${change.id}`;
  if (!reply.request || !reply.signing_thumbprint) {
    return books.findings.add("request_is_kept", row, "its signed request", "nothing");
  }
  const params = await checkRequest(books, reply, "/v1/account/changes");
  if (params === undefined) return;
  const [kind] = Object.keys(params as object);
  books.findings.expect(
    "request_matches",
    `${row} content`,
    canonicalJson(params as CanonicalValue),
    change.content,
  );
  books.findings.expect("request_matches", `${row} kind`, kind, change.kind);
  if (change.wanted === null) return;
  const wanted = await wantedText(params).catch(() => "unreadable");
  books.findings.expect("request_matches", `${row} wanted`, wanted, change.wanted);
}

/** `signed` is undefined if a signed and an unsigned request can get the same refusal. */
export async function checkRefusedRequest(
  books: Books,
  reply: Row,
  signed: boolean | undefined,
): Promise<void> {
  const { findings, requests } = books;
  const row = `idempotency_key ${reply.client_id} ${reply.key} request`;
  if ((reply.request === null) !== (reply.signing_thumbprint === null)) {
    findings.add("request_is_kept", row, "a request and the thumbprint of its key", "only one of them");
  } else if (reply.request === null) {
    if (signed && reply.created_at > requests.keptSince) {
      findings.add("request_is_kept", row, "its signed request", "nothing");
    }
  } else if (signed === false) {
    findings.add("request_matches", row, "nothing, because it is not signed", "a request");
  } else await checkRequest(books, reply);
}

/** Checks the parts that need no record, and returns the parameters of the body. */
async function checkRequest({ findings, requests }: Books, reply: Row, path?: string): Promise<unknown> {
  const row = `idempotency_key ${reply.client_id} ${reply.key}`;
  let parts: RequestParts;
  let params: ReturnType<typeof readJson>;
  let fingerprint: string;
  try {
    parts = readRequest(reply.request);
    params = readJson(parts.body);
    const found = parts.target.split("?", 1)[0]!;
    fingerprint = idempotencyFingerprint({ method: parts.method, path: found, params }, hostBytes);
    const isWrite = parts.method === "POST" && (path ? found === path : PATHS.test(found));
    if (!isWrite) {
      const expected = `POST ${path ?? PATHS.source}`;
      findings.add("request_matches", `${row} request`, expected, `${parts.method} ${found}`);
    }
  } catch (error) {
    findings.add("request_matches", `${row} request`, "a stored request", (error as Error).message);
    return undefined;
  }
  findings.expect("request_matches", `${row} fingerprint`, fingerprint, reply.fingerprint);
  const { method, target, timestamp, nonce, signature, body } = parts;
  await requests.signatures.add(findings, reply, signature, () => {
    const bodySha256 = sha256Hex(body);
    return requests.baseUrls.map((url) =>
      Buffer.from(canonicalRequest({ method, url: url + target, bodySha256, timestamp, nonce }))
    );
  });
  return params;
}

const PATHS = /^\/v1\/(orders|withdrawals(\/wd_[0-9a-f-]{36}\/cancel)?)$/;

/** The stored nonce is the beginning of the SHA-256 of the request's nonce, as a uuid. */
export function checkNonce(findings: Findings, reply: Row, { nonce, request_id }: Row): void {
  const row = `nonce ${reply.client_id} of request ${request_id}`;
  try {
    const hash = sha256Hex(readRequest(reply.request).nonce).slice(0, 32);
    findings.expect("request_matches", row, hash, nonce.replaceAll("-", ""));
  } catch {
    // The other passes report a request that cannot be read.
  }
}

const textOf = (values: readonly unknown[]) =>
  JSON.stringify(values.map((value) => value?.toString() ?? null));
