import { Buffer } from "node:buffer";
import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import ipaddr from "ipaddr.js";

/** A fixture: a name server on this machine over UDP. It knows only the names that the test gives it. */
export interface NameServer {
  /** ip:port, as a resolver expects it. */
  readonly address: string;
  /** Every question received, as name and type. */
  readonly questions: string[];
  /** Sets the answer for a name from now on: addresses, no answer, or a server failure. */
  says(name: string, answer: readonly string[] | "silence" | "failure"): void;
  stop(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const ANSWER_FLAGS = 0x8180;
const NO_SUCH_NAME = 3;
const SERVER_FAILURE = 2;
const HEADER_BYTES = 12;

export async function startNameServer(): Promise<NameServer> {
  const known = new Map<string, Parameters<NameServer["says"]>[1]>();
  const questions: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query: Buffer, from: RemoteInfo) => {
    const { name, type, endsAt } = readQuestion(query);
    questions.push(`${name} ${type === TYPE_A ? "A" : "AAAA"}`);
    const answer = known.get(name);
    if (answer === "silence") return;
    const fault = answer === undefined ? NO_SUCH_NAME : answer === "failure" ? SERVER_FAILURE : 0;
    const records = typeof answer === "object" ? recordsOf(answer, type) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(ANSWER_FLAGS | fault, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const question = query.subarray(HEADER_BYTES, endsAt);
    socket.send(Buffer.concat([header, question, ...records]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    says: (name, answer) => void known.set(name, answer),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; endsAt: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), endsAt: at + 5 };
}

function recordsOf(addresses: readonly string[], type: number): Buffer[] {
  const wanted = type === TYPE_A ? "ipv4" : type === TYPE_AAAA ? "ipv6" : "";
  return addresses.map((address) => ipaddr.parse(address)).filter((address) => address.kind() === wanted)
    .map((address) => {
      const bytes = Buffer.from(address.toByteArray());
      const record = Buffer.alloc(HEADER_BYTES);
      // Point to the name in the question, which follows the header (a compression pointer).
      record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(60, 6);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
}
