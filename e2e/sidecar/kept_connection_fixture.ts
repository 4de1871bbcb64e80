import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { Agent, request } from "node:https";
import type { Caller, Certificate } from "../contract/caller_fixture.ts";
import { readReply, toResponse } from "./direct_fixture.ts";

type Headers = Readonly<Record<string, string | string[]>>;

/** A connection that stays open from one request to the next. */
export interface KeptConnection {
  send(method: string, path: string, headers?: Headers, body?: string): Promise<Response>;
  close(): void;
}

export const PROTOCOLS = ["http/1.1", "h2"] as const;

export async function keepConnection(
  protocol: typeof PROTOCOLS[number],
  { credentials: { base_url, ca } }: Caller,
  { cert, key }: Certificate,
): Promise<KeptConnection> {
  const credentials = { ca: await readFile(ca, "utf8"), cert, key };
  return protocol === "h2" ? keepHttp2(base_url, credentials) : keepHttp1(base_url, credentials);
}

interface Credentials extends Certificate {
  readonly ca: string;
}

function keepHttp1(baseUrl: string, credentials: Credentials): KeptConnection {
  const agent = new Agent({ ...credentials, keepAlive: true, maxSockets: 1 });
  let port: number | undefined;
  return {
    send: (method, path, headers = {}, body = "") =>
      new Promise((resolve, reject) => {
        const length = { "Content-Length": `${Buffer.byteLength(body)}` };
        const outgoing = request(new URL(path, baseUrl), {
          agent,
          method,
          headers: { ...headers, ...length },
        });
        outgoing.on("error", reject).on("response", (reply) => {
          port ??= reply.socket.localPort!;
          if (port !== reply.socket.localPort) reject(new Error("The connection did not stay open."));
          readReply(reply).then(resolve, reject);
        }).end(body);
      }),
    close: () => agent.destroy(),
  };
}

function keepHttp2(baseUrl: string, credentials: Credentials): KeptConnection {
  const session = connect(baseUrl, credentials);
  session.on("error", () => {});
  return {
    send: (method, path, headers = {}, body = "") =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ":method": method, ":path": path, ...headers }, {
          endStream: body === "",
        });
        let answered: IncomingHttpHeaders = {};
        const parts: Uint8Array[] = [];
        stream.on("response", (reply) => answered = reply).on("error", reject)
          .on("data", (part: Uint8Array) => parts.push(part))
          .on("end", () => resolve(toResponse(Number(answered[":status"]), answered, parts)));
        if (body !== "") stream.end(body);
      }),
    close: () => session.destroy(),
  };
}
