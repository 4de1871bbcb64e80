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
  /** The name by which the partner's program addresses the service: of the URL, or else of the Host header. */
  readonly host: string | undefined;
  /** The signature's three headers, by their names. A header that is missing in the file is missing here. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Editors on Windows begin a file of UTF-8 with this mark. */
const BYTE_ORDER_MARK = /^\u00ef\u00bb\u00bf/;

/**
 * Reads a request as HTTP/1.1 writes it: request line, headers, an empty line, the body. The body has the
 * length that Content-Length says. Without Content-Length it is the rest of the file.
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
      `The probe verifies ${METHOD} ${PATH} only; ${name} is ${method} ${url}. Sign the same body for ${METHOD} and this URL.`,
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

/** A transport that sends the partner's own target and signature in place of those of the client's probe. */
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
