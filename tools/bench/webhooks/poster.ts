import { Buffer } from "node:buffer";
import { Agent, request } from "node:https";
import { parseWebhookSecret, signWebhook } from "@gold-partner/protocol";

/** An event to be sent to its receiver. */
export interface Post {
  readonly id: string;
  readonly url: string;
  readonly body: string;
}

export interface PosterSettings {
  /** The CA of the receivers' certificates. */
  readonly ca: string;
  readonly secret: string;
  readonly connectionsEach: number;
}

/** Signs and sends events over kept-alive connections, in the usual way with the runtime's own client. */
export function createPoster({ ca, secret, connectionsEach }: PosterSettings): (post: Post) => Promise<void> {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connectionsEach,
    maxFreeSockets: connectionsEach,
    ca,
  });
  const secrets = [parseWebhookSecret(secret)];
  return ({ id, url, body }) =>
    new Promise((resolve, reject) => {
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signWebhook({ id, timestamp, body }, secrets),
      };
      request(url, { method: "POST", agent, headers }, (reply) => {
        if (reply.statusCode !== 200) return reject(new Error(`A receiver answered ${reply.statusCode}.`));
        reply.resume().once("end", resolve).once("error", reject);
      }).once("error", reject).end(body);
    });
}
