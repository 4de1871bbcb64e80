import { readFile } from "node:fs/promises";
import type { IncomingMessage, RequestListener } from "node:http";
import { parseWebhookSecret, verifyWebhook, WebhookError } from "@gold-partner/protocol";

interface Receiver {
  /**
   * The active secrets, one a line. The file is read again for each delivery, so that a rotation needs no
   * restart.
   */
  readonly secretsFile: string;
  /** The partner's client_id. Undefined: the receiver accepts events for every partner whose secret it has. */
  readonly clientId: string | undefined;
  readonly nowSeconds: () => number;
  readonly write: (line: string) => void;
}

const BODY_MAX_BYTES = 1 << 20;

/**
 * Answers 204 for a delivery that verifies, 413 for a body of more than 1 MiB, and 400 with the reason for
 * any other delivery. If the receiver itself fails, for example because the file of secrets is missing, it
 * answers 500. Each delivery is logged in one line.
 */
export function answerWebhooks(receiver: Receiver): RequestListener {
  const { write } = receiver;
  return (request, response) => {
    const respond = (status: number, fields: Record<string, unknown>) => {
      write(JSON.stringify({ status, ...fields }));
      response.writeHead(status, { "Content-Type": "text/plain" }).end(fields.reason);
    };
    receive(request, receiver).then(
      (event) => respond(204, event),
      (error: Error) => {
        if (error instanceof WebhookError) respond(400, { reason: error.reason, detail: error.message });
        else if (error instanceof BodyTooLargeError) {
          respond(413, { reason: "body_too_large", detail: error.message });
        } else respond(500, { reason: "receiver_failed", detail: error.message });
      },
    );
  };
}

class BodyTooLargeError extends Error {
  override readonly name: string = "BodyTooLargeError";
}

async function receive(
  request: IncomingMessage,
  { secretsFile, clientId, nowSeconds }: Receiver,
): Promise<Record<string, unknown>> {
  const body = await readBody(request);
  const lines = (await readFile(secretsFile, "utf8")).split("\n").map((line) => line.trim());
  const secrets = lines.filter((line) => line !== "").map(parseWebhookSecret);
  const { id } = verifyWebhook(body, request.headers, secrets, { nowSeconds: nowSeconds(), clientId });
  const event: unknown = JSON.parse(body.toString("utf8"));
  return { id, event };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_MAX_BYTES) {
      throw new BodyTooLargeError(`The body of a delivery must be at most ${BODY_MAX_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
