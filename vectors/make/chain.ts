import { createHash } from "node:crypto";
import type { VectorFile } from "./vector_file.ts";

const CHAIN_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
/** The RFC 7638 thumbprint of the example key in RFC 6979, A.2.5, in hex. */
const THUMBPRINT = "0cebf1bc9880748a95588905b79843b42ba75cb174055e3e246bf87fe00b4a6d";
const FUNDING = "019c18c0-0000-7000-8000-000000000001";
const QUOTE = "019c18c0-0000-7000-8000-000000000002";
const WITHDRAWAL = "019c18c0-0000-7000-8000-000000000003";
const UNSIGNED_QUOTE = "019c18c0-0000-7000-8000-000000000004";
const CLOSED_DAY = "019c18c0-0000-7000-8000-000000000005";
const FIRST_ENDPOINT = "019c18c0-0000-7000-8000-000000000006";
const THIRD_ENDPOINT = "019c18c0-0000-7000-8000-000000000007";

const hash = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const JWS = `eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..${"A".repeat(86)}`;

interface Signed {
  readonly method: string;
  readonly target: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
  readonly body_utf8: string;
}

interface Answer {
  readonly key: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly request_id: string;
  readonly body_utf8: string;
  readonly signed?: Signed;
}

interface Record {
  readonly name: string;
  readonly version: 1 | 2;
  /** The members between the version and the answer, as the line contains them. */
  readonly members: string;
  readonly answer?: Answer;
  readonly day?: object;
  readonly webhook_endpoint?: object;
}

/** The lines of the quotes and refusals to which the closed day commits. */
const QUOTE_LINES = [
  `${QUOTE}|1|15000|3210000|48150|1769941790000|1769941850000|${hash("the answer of a quote")}`,
  `${UNSIGNED_QUOTE}|1|1000|3210000|3210|1769941795000|1769941855000|${hash("the answer of another quote")}`,
];
const REFUSAL_LINES = [`1769941801500|${hash("the answer of a refusal")}`];

/** The SHA-256 of the SHA-256 of each line. */
const hashOfLines = (lines: readonly string[]): string =>
  hash(Buffer.concat(lines.map((line) => createHash("sha256").update(line).digest())));

const DAY = {
  date: "2026-02-01",
  first_sequence: 1,
  last_sequence: 5,
  opening_balance: { available_sar: 0, held_sar: 0, gold_grams: 0 },
  closing_balance: { available_sar: 446.4, held_sar: 40, gold_grams: 1.6 },
  quotes: 2,
  orders: 2,
  refusals: 1,
  broken: 0,
  quotes_sha256: hashOfLines(QUOTE_LINES),
  refusals_sha256: hashOfLines(REFUSAL_LINES),
  epoch: { number: 2, timeline: 3, began_at: "2026-01-01T00:00:00.000Z" },
};

const RECORDS: readonly Record[] = [
  {
    name: "a funding in the sandbox, without a signature",
    version: 2,
    members: `1|1|2|${FUNDING}|1769941800000|1|1|2|1|100000|100000|0|0`,
    answer: {
      key: "fund-1",
      fingerprint: hash("fund"),
      status: 201,
      request_id: "019c18c0-0000-7000-8000-00000000000a",
      body_utf8: '{"funding_id":"fnd_1","amount_sar":1000}',
    },
  },
  {
    name: "a signed order",
    version: 2,
    members:
      `1|2|1|${QUOTE}|1769941801000|1|2|4|1|48150|51850|0|0|2|6|7|2|15000|51850|0|15000|1|15000|3210000|48150`,
    answer: {
      key: "order-1",
      fingerprint: hash("order"),
      status: 201,
      request_id: "019c18c0-0000-7000-8000-00000000000b",
      body_utf8: '{"order_id":"ord_1","name":"ذهب"}',
      signed: {
        method: "POST",
        target: "/v1/orders",
        timestamp: "1769941801",
        nonce: "0123456789abcdef",
        signature: JWS,
        body_utf8: `{\n  "quote_id":"qt_${QUOTE}"\n}`,
      },
    },
  },
  {
    name: "a signed withdrawal with a reference",
    version: 2,
    members: `1|3|3|${WITHDRAWAL}|1769941802000|1|2|3|1|4000|47850|4000|15000|1|${
      hash('["SA0380000000608010167519", "R|1", "gold_api"]')
    }`,
    answer: {
      key: "withdrawal-1",
      fingerprint: hash("withdrawal"),
      status: 201,
      request_id: "019c18c0-0000-7000-8000-00000000000c",
      body_utf8: '{"withdrawal_id":"wd_1"}',
      signed: {
        method: "POST",
        target: "/v1/withdrawals",
        timestamp: "1769941802",
        nonce: "fedcba9876543210",
        signature: JWS,
        body_utf8: '{"amount_sar":40,"reference":"R|1"}',
      },
    },
  },
  {
    name: "a later step of the withdrawal, for which no key asked",
    version: 2,
    members: `1|4|4|${WITHDRAWAL}|1769941803000|2|${hash('["SA0380000000608010167519", "R|1", "alice"]')}`,
  },
  {
    name: "an order that a process of 0.3.0 booked, with line version 1",
    version: 1,
    members:
      `1|5|1|${UNSIGNED_QUOTE}|1769941804000|1|2|4|1|3210|44640|4000|15000|2|6|7|2|1000|44640|4000|16000|1|1000|3210000|3210`,
  },
  {
    name: "the end of the day",
    version: 2,
    members: `1|6|16|${CLOSED_DAY}|1769979900000|${
      hash(
        `["2026-02-01", 1, 5, 0, 0, 0, 44640, 4000, 16000, 2, 2, 1, 0, "${DAY.quotes_sha256}", ` +
          `"${DAY.refusals_sha256}", 2, 3, 1767225600000]`,
      )
    }`,
    day: { ...DAY, quote_lines: QUOTE_LINES, refusal_lines: REFUSAL_LINES },
  },
  {
    name: "another URL of the first webhook endpoint",
    version: 2,
    members: `1|7|15|${FIRST_ENDPOINT}|1769980000000|${
      hash('[null, null, null, null, null, null, "https://bank.example/hook", "alice", null]')
    }`,
    webhook_endpoint: {
      ...{ url: "https://bank.example/hook", endpoint: 1, removed_at: null },
      ...{ changed_by: "alice", approved_by: null },
    },
  },
  {
    name: "the removal of the third webhook endpoint",
    version: 2,
    members: `1|8|15|${THIRD_ENDPOINT}|1769980001000|${
      hash('[null, null, "3", null, 1769980001000, null, "https://bank.example/ledger", "alice", "omar"]')
    }`,
    webhook_endpoint: {
      ...{ url: "https://bank.example/ledger", endpoint: 3, removed_at: "2026-02-01T21:06:41.000Z" },
      ...{ changed_by: "alice", approved_by: "omar" },
    },
  },
];

const requestOf = ({ method, target, timestamp, nonce, signature, body_utf8 }: Signed): string =>
  [method, target, timestamp, nonce, signature, body_utf8].join("\n");

function answerLines({ key, fingerprint, status, request_id, body_utf8, signed }: Answer): string {
  const request = signed ? requestOf(signed) : "";
  const lines = [
    key,
    fingerprint,
    status,
    request_id,
    hash(body_utf8),
    hash(request),
    signed ? THUMBPRINT : "",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function saltOf(sequence: number): string {
  const bytes = new Uint8Array(40);
  bytes.set(Uint8Array.from(CHAIN_KEY.match(/../g)!, (pair) => parseInt(pair, 16)));
  new DataView(bytes.buffer).setBigUint64(32, BigInt(sequence));
  return hash(bytes).slice(0, 32);
}

function chain(): VectorFile["cases"] {
  let previous = "00".repeat(32);
  return RECORDS.map(({ name, version, members, answer, day, webhook_endpoint }, index) => {
    const sequence = index + 1;
    const lines = answer ? answerLines(answer) : undefined;
    const digest = lines === undefined ? "" : hash(lines);
    const line = version === 1 ? `1|${members}` : `2|${members}|${digest}|${saltOf(sequence)}`;
    const head = createHash("sha256").update(previous, "hex").update(line).digest("hex");
    const made = {
      name,
      version,
      sequence,
      members,
      ...(answer ? { answer: { ...answer, ...(answer.signed ? { thumbprint: THUMBPRINT } : {}) } } : {}),
      ...(day ? { day } : {}),
      ...(webhook_endpoint ? { webhook_endpoint } : {}),
      ...(answer?.signed ? { stored_request_utf8: requestOf(answer.signed) } : {}),
      ...(lines === undefined ? {} : { answer_lines: lines, answer_sha256: digest }),
      ...(version === 2 ? { chain_key: CHAIN_KEY, salt: saltOf(sequence) } : {}),
      line,
      previous_chain_head: previous,
      chain_head: head,
    };
    previous = head;
    return made;
  });
}

export default function make(): VectorFile {
  return {
    description:
      "One hash chain of eight records, with lines of version 1 and 2. `members` are the members of version 1 after " +
      "the version. `answer` is what was stored with the idempotency key, and `answer.signed` is the signed request. " +
      "`day` is what the event of a closed day states, with the lines of its quotes and refusals. `webhook_endpoint` " +
      "is what the event of a changed endpoint states.",
    origin:
      "`members` are written by hand. Everything else is joined by the generator and hashed by OpenSSL, through node:crypto.",
    cases: chain(),
  };
}
