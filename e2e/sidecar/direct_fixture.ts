import { Buffer } from "node:buffer";
import { type IncomingHttpHeaders, type IncomingMessage, request, type RequestOptions } from "node:http";
import type { Stack } from "../contract/stack_fixture.ts";

/** Sends a plain HTTP request to an address that only this machine can reach. */
export function askDirectly(options: RequestOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    request({ ...options, agent: false }, (reply) => readReply(reply).then(resolve, reject))
      .on("error", reject).end();
  });
}

export async function readReply(reply: IncomingMessage): Promise<Response> {
  const parts: Uint8Array[] = [];
  for await (const part of reply) parts.push(part as Uint8Array);
  return toResponse(reply.statusCode!, reply.headers, parts);
}

export function toResponse(
  status: number,
  headers: IncomingHttpHeaders,
  parts: readonly Uint8Array[],
): Response {
  const plain = Object.entries(headers).filter(([name]) => !name.startsWith(":"))
    .map(([name, value]): [string, string] => [name, `${value}`]);
  return new Response(Buffer.concat(parts), { status, headers: plain });
}

/**
 * Returns how many requests the service has received. Requests that Envoy refused are not counted.
 */
export async function countArrived(stack: Stack): Promise<number> {
  const reply = await askDirectly({ socketPath: stack.socket("server_operations.sock"), path: "/metrics" });
  const counts = (await reply.text()).matchAll(/^gold_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
