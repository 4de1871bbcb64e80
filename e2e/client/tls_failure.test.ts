import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { GoldClient, GoldError } from "@gold-partner/client";
import { newServerAuthority, type ServerCertificate } from "@gold-partner/dev";
import { assertEquals, assertRejects } from "@std/assert";

const ALERTS = {
  tls_failed: [42, 43, 44, 45, 46, 48, 49, 116],
  connection_failed: [10, 40, 51, 70, 80, 112],
};

describe("GoldClient, when TLS fails", () => {
  let alert = 0;
  let own: ServerCertificate;
  let other: ServerCertificate;
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(Uint8Array.of(21, 3, 3, 0, 2, 2, alert)));
  });
  const open = (identity: ServerCertificate) =>
    GoldClient.open({
      ...{ baseUrl: `https://localhost:${(server.address() as AddressInfo).port}`, clientId: "sbx_1" },
      ...{ clientSecret: "secret", triesMax: 1, ...identity },
    });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    const { issue } = await newServerAuthority();
    [own, other] = [await issue(), await issue()];
  });

  after(() => server.close());

  for (const [code, numbers] of Object.entries(ALERTS)) {
    it(`reports ${code} for the alerts ${numbers.join(", ")}`, async () => {
      const client = await open(own);
      for (const number of numbers) {
        alert = number;
        const error = await assertRejects(() => client.getHealth(), GoldError);
        assertEquals([error.code, error.retryable], [code, code === "connection_failed"], `alert ${number}`);
      }
      client.close();
    });
  }

  it("refuses a key that does not belong to the certificate", async () => {
    const error = await assertRejects(
      () => open({ cert: own.cert, key: other.key }),
      GoldError,
      "belongs to",
    );
    assertEquals(error.code, "configuration_invalid");
  });
});
