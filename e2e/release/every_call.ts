import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { hostBytes } from "@gold-partner/protocol";
import type { ServerProcess } from "../../tools/prove/stage/server_process.ts";
import { ask, type Trader } from "../../tools/prove/stage/trader.ts";
import { acceptedOrderOf, verdictOf } from "../../tools/prove/stage/wire.ts";

const READS = [
  "/health",
  "/v1/prices",
  "/v1/balances",
  "/v1/orders",
  "/v1/withdrawals",
  "/v1/fundings",
  "/v1/events",
  "/v1/reserves",
  "/v1/limits",
  "/v1/credentials",
];

/** Calls every operation of a partner once, at one process. Returns the failures and the executed order. */
export async function callEverything(
  { socket }: ServerProcess,
  trader: Trader,
): Promise<{ readonly failures: readonly string[]; readonly orders: readonly string[] }> {
  const failures: string[] = [];
  const call = async (name: string, request: Uint8Array) => {
    const reply = await ask(socket, request);
    if (!reply || reply.status >= 300) failures.push(`${name}: ${verdictOf(reply)} ${reply?.body ?? ""}`);
    return reply;
  };
  const json = (text: string) => hostBytes.utf8(text);
  await call("token", trader.tokenRequest());
  await call("funding", trader.fund("1000"));
  const quote = await call("quote", trader.quote("buy", "0.01"));
  const { quote_id } = JSON.parse(quote?.body ?? "{}") as { quote_id: string };
  const order = await call("order", await trader.order(quote_id));
  const [orderId] = [acceptedOrderOf(order)].flatMap((id) => id ?? []);
  const probe = await call("probe", await trader.signed("/v1/signed-probe", json("{}")));
  if (probe?.status === 200 && !(JSON.parse(probe.body) as { valid: boolean }).valid) {
    failures.push(`probe: ${probe.body}`);
  }
  const reference = randomUUID().slice(0, 8);
  await call(
    "withdrawal",
    await trader.signed("/v1/withdrawals", json(`{"amount_sar":1,"reference":"${reference}"}`)),
  );
  await call("webhook test", trader.unsigned("/v1/webhook/test", json("{}")));
  const day = new Date().toISOString().slice(0, 10);
  const reads = [
    ...READS,
    `/v1/quotes/${quote_id}`,
    `/v1/orders/${orderId}`,
    `/v1/statement?from=${day}&to=${day}`,
  ];
  for (const path of reads) {
    const status = await statusOf(socket, trader.read(path));
    if (status !== "200") failures.push(`${path}: ${status}`);
  }
  return { failures, orders: orderId === undefined ? [] : [orderId] };
}

/** Reads only the status. A statement is streamed without a length, so the end of its body is unknown. */
function statusOf(socketPath: string, request: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write(request));
    socket.once("data", (head) => (resolve(head.toString("latin1").split(" ")[1] ?? ""), socket.destroy()));
    socket.on("error", (error) => resolve(error.message)).on("close", () => resolve("no answer"));
  });
}
