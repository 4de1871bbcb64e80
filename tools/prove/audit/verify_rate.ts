import process from "node:process";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** The length of an order's signing input. */
const PAYLOAD_BYTES = 220;
/** As many as the audit verifies at once. */
const PENDING = 256;

/** Verifies a signature `count` times with Web Crypto alone. Returns the CPU time of one verification. */
export async function verifyCpuUs(count: number): Promise<number> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ES256, false, ["sign", "verify"]);
  const payload = crypto.getRandomValues(new Uint8Array(PAYLOAD_BYTES));
  const signature = await crypto.subtle.sign(ES256, privateKey, payload);
  const verify = async () => {
    if (!await crypto.subtle.verify(ES256, publicKey, signature, payload)) {
      throw new Error("A signature is wrong.");
    }
  };
  const before = process.cpuUsage();
  let left = count;
  await Promise.all(Array.from({ length: PENDING }, async () => {
    while (left-- > 0) await verify();
  }));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
