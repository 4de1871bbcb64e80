import process from "node:process";
import { createVerify } from "../../testing/es256_verify.ts";

/** The length of an order's signing input. */
const PAYLOAD_BYTES = 220;
/** As many as the audit verifies at once. */
const PENDING = 256;

/** Verifies a signature `count` times with Web Crypto alone. Returns the CPU time of one verification. */
export async function verifyCpuUs(count: number): Promise<number> {
  const verify = await createVerify(PAYLOAD_BYTES);
  const before = process.cpuUsage();
  let left = count;
  await Promise.all(Array.from({ length: PENDING }, async () => {
    while (left-- > 0) await verify();
  }));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
