import { Buffer } from "node:buffer";
import type { Transport } from "@gold-partner/client";
import { ENDPOINTS, REQUEST_HEADER } from "@gold-partner/protocol";
import { usage } from "../failure.ts";

const { method: METHOD, path: PATH } = ENDPOINTS.probeSignature;
const SIGNED = [REQUEST_HEADER.timestamp, REQUEST_HEADER.nonce, REQUEST_HEADER.signature];
const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[0-9.]+)?$/;
const HEADER_END = /\r?\n\r?\n/;

/** A request to the probe that the partner's own program signed. */
export interface SignedRequest {
  readonly target: string;
  /**
   * The host that the partner's program addresses, in lower case: from the URL, or else from the Host header.
   */
  readonly host: string | undefined;
  /** The timestamp, nonce and signature headers that the file has, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Some editors on Windows begin a UTF-8 file with this mark. */
const BYTE_ORDER_MARK = /^\u00ef\u00bb\u00bf/;

/**
 * Reads a request as HTTP/1.1 writes it: request line, headers, an empty line, the body. The body is as long
 * as Content-Length says, or the rest of the file without Content-Length.
 */
export function readSignedRequest(file: Uint8Array, name: string): SignedRequest {
  // Latin-1 maps each byte to one character, so positions in the text are positions in the file.
  const text = Buffer.from(file).toString("latin1");
  const end = HEADER_END.exec(text);
  const [line = "", ...fields] = text.slice(0, end?.index).replace(BYTE_ORDER_MARK, "")
    .trimEnd().split(/\r?\n/);
  const [, method, url] = REQUEST_LINE.exec(line) ?? [];
  if (url === undefined) {
    throw usage(
      `${name} must begin with a line such as "${METHOD} ${PATH} HTTP/1.1"; got ${
        JSON.stringify(line.slice(0, 80))
      }.`,
    );
  }
  const [origin = "", authority] = /^https?:\/\/([^/]*)/.exec(url) ?? [];
  const target = url.slice(origin.length);
  if (method !== METHOD || target.split("?", 1)[0] !== PATH) {
    throw usage(
      `The probe verifies ${METHOD} ${PATH} only; ${name} is ${method} ${url}. Sign the same body for ${METHOD} ` +
        "and this URL.",
    );
  }
  const headers = new Map(fields.map((field) => {
    const [, key = "", value = ""] = /^([^:]*):\s*(.*?)\s*$/.exec(field) ?? [];
    return [key.toLowerCase(), value] as const;
  }));
  const start = end ? end.index + end[0].length : file.length;
  const length = Number(headers.get("content-length") ?? file.length - start);
  if (!Number.isInteger(length) || length < 0 || start + length > file.length) {
    throw usage(
      `${name} has Content-Length ${headers.get("content-length")}, but its body has ${
        file.length - start
      } bytes.`,
    );
  }
  const signed = SIGNED.flatMap((key) => {
    const value = headers.get(key.toLowerCase());
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    target,
    host: (authority ?? headers.get("host"))?.toLowerCase(),
    headers: Object.fromEntries(signed),
    body: file.slice(start, start + length),
  };
}

/**
 * Returns a transport that sends the client's probe with the partner's own target and signature headers.
 * Other requests are sent unchanged.
 */
export function replaying(transport: Transport, { target, headers: own }: SignedRequest): Transport {
  return {
    send(request) {
      const { origin, pathname } = new URL(request.url);
      if (pathname !== PATH) return transport.send(request);
      const kept = Object.entries(request.headers).filter(([name]) => !(SIGNED as string[]).includes(name));
      const headers = { ...Object.fromEntries(kept), ...own };
      return transport.send({ ...request, url: origin + target, headers });
    },
    close: () => transport.close(),
  };
}
