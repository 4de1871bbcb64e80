import { Buffer } from "node:buffer";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { parseWebhookSecret, signWebhook } from "@gold-partner/protocol";

/** How long the service waits for the head of the receiver's answer. */
export const ANSWER_MAX_MS = 15_000;

/**
 * A webhook receiver. If `ca` is given, only it is trusted to sign the receiver's certificate. Otherwise the
 * runtime's CAs are trusted.
 */
export interface Receiver {
  readonly url: URL;
  /** PEM text. */
  readonly ca?: string | undefined;
  /** Default: the service's own limit of 15 seconds. */
  readonly answerMaxMs?: number;
}

/** How the receiver answered: a status, or the reason why there is none. */
export interface Answer {
  readonly status: number | null;
  readonly error?: string;
}

export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Builds a delivery as the service sends it: one signature for each secret, over id, time and body. */
export function signedMessage(
  id: string,
  body: string,
  secrets: readonly string[],
  timestamp: number,
): Message {
  const signature = signWebhook({ id, timestamp, body }, secrets.map(parseWebhookSecret));
  return {
    body,
    headers: { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": signature },
  };
}

/**
 * Posts one delivery on a new connection. Follows no redirect, as the service does, and reads no body. Never
 * throws.
 */
export function deliver(
  { url, ca, answerMaxMs = ANSWER_MAX_MS }: Receiver,
  { body, headers }: Message,
): Promise<Answer> {
  return new Promise((resolve) => {
    const options = {
      method: "POST",
      agent: false as const,
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "gold-partner",
      },
      ...(ca === undefined ? {} : { ca }),
    };
    const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options);
    const end = (answer: Answer) => {
      clearTimeout(timer);
      resolve(answer);
      sent.destroy();
    };
    const timer = setTimeout(
      () => end({ status: null, error: `no answer within ${answerMaxMs / 1000} s` }),
      answerMaxMs,
    );
    sent.on("response", (response) => end({ status: response.statusCode! }));
    // When a host has several addresses, Node throws one error for all of them, and its message is empty.
    sent.on(
      "error",
      (error: NodeJS.ErrnoException) => end({ status: null, error: error.message || error.code! }),
    );
    sent.end(body);
  });
}

export const isAccepted = ({ status }: Answer): boolean => status !== null && status >= 200 && status < 300;

export const answerText = ({ status, error }: Answer): string =>
  status === null ? `gave no answer (${error})` : `answered ${status}`;
