import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { BODY_MAX_BYTES } from "@gold-partner/protocol";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { findFreePort } from "@gold-partner/dev/postgres";
import { suiteService } from "../../testing/service.ts";
import type { Config } from "../settings/config.ts";
import { nameOfKey, readKeys } from "../settings/key_source.ts";
import { startService } from "./service.ts";
import { codeOf, openSocket, readReply, sendRaw } from "./service_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";
import { setUp } from "../../testing/set_up.ts";

describe("startService()", () => {
  const fixture = suiteService();

  const path = ({ listen }: Pick<Config, "listen"> = fixture.config) =>
    listen.kind === "unix" ? listen.path : "";
  const identity = () => [
    "Host: localhost",
    `X-Forwarded-Client-Cert: Hash=${fixture.partner.fingerprint}`,
    "X-Client-Ip: 127.0.0.1",
  ];

  describe("over its socket", () => {
    const log: string[] = [];
    setUp(() => startService(fixture.config, (line) => log.push(line)));

    const send = async (first: string, headers: string[] = [], body = "") =>
      codeOf(await sendRaw(fixture.config.listen, [first, ...identity(), ...headers], body));

    it("serves, and reports ready on the operations listener", async () => {
      assertEquals(await send("GET /health HTTP/1.1"), '200 {"status":"ok"}');
      const { operationsListen } = fixture.config;
      const ready = await sendRaw(operationsListen, ["GET /ready HTTP/1.1", "Host: localhost"]);
      assertEquals(ready.status, 200);
      const metrics = await sendRaw(operationsListen, ["GET /metrics HTTP/1.1", "Host: localhost"]);
      assertMatch(metrics.body, /gold_requests_total\{route="\/health",status="200"\} 1/);
    });

    it("creates its socket with mode 660", async () => {
      assertEquals(((await stat(path())).mode & 0o777).toString(8), "660");
    });

    it("rejects a request target that is not spelt as documented, and never normalises it", async () => {
      const targets = [
        "/v1/%6frders",
        "//v1/orders",
        "/v1/./orders",
        "/v1/x/../orders",
        "/v1/orders/",
        "/health/",
        "//health",
      ];
      const absolute = [
        "https://localhost:8443/health",
        "http://localhost/health",
        "https://other.example/health",
      ];
      for (const target of [...targets, ...absolute]) {
        assertEquals(await send(`GET ${target} HTTP/1.1`), "400 path_not_allowed", target);
      }
    });

    it("rejects a repeated header instead of using its first or last value", async () => {
      const hash = `X-Forwarded-Client-Cert: Hash=${fixture.partner.fingerprint}`;
      assertEquals(await send("GET /health HTTP/1.1", [hash]), "403 certificate_unknown");
      assertEquals(await send("GET /health HTTP/1.1", ["X-Client-Ip: 127.0.0.1"]), "403 ip_not_allowed");
      const authorization = `Authorization: Bearer ${await fixture.token()}`;
      assertEquals(
        await send("GET /v1/balances HTTP/1.1", [authorization, authorization]),
        "401 token_invalid",
      );
      const body = "{}";
      const sound = {
        "Idempotency-Key": "k",
        "X-Timestamp": "1800000000",
        "X-Nonce": "0123456789abcdef",
        "X-JWS-Signature": `a..${"A".repeat(86)}`,
        "Content-Type": "application/json",
      };
      const lines = Object.entries(sound).map(([name, value]) => `${name}: ${value}`);
      const order = (doubled: keyof typeof sound) =>
        send("POST /v1/orders HTTP/1.1", [
          authorization,
          `Content-Length: ${body.length}`,
          ...lines,
          `${doubled.toLowerCase()}: ${sound[doubled]}`,
        ], body);
      assertEquals(await order("Idempotency-Key"), "400 idempotency_key_invalid");
      assertEquals(await order("X-Timestamp"), "400 timestamp_invalid");
      assertEquals(await order("X-Nonce"), "400 nonce_invalid");
      assertEquals(await order("X-JWS-Signature"), "400 invalid_request");
      assertEquals(await order("Content-Type"), "415 unsupported_media_type");
    });

    it("rejects a body that is too large, with Content-Length or chunked, and continues to serve", async () => {
      const authorization = `Authorization: Bearer ${await fixture.token()}`;
      const headers = [authorization, "Content-Type: application/json", "Idempotency-Key: k"];
      const large = "x".repeat(BODY_MAX_BYTES + 1);
      const announced = [...headers, `Content-Length: ${large.length}`];
      assertEquals(await send("POST /v1/quotes HTTP/1.1", announced, large), "413 body_too_large");
      const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      const chunked = [...headers, "Transfer-Encoding: chunked"];
      assertEquals(await send("POST /v1/quotes HTTP/1.1", chunked, chunks), "413 body_too_large");
      assertEquals(await send("GET /health HTTP/1.1"), '200 {"status":"ok"}');
    });

    it("rejects headers of more than 16 KiB", async () => {
      assertEquals(
        (await sendRaw(fixture.config.listen, ["GET /health HTTP/1.1", `X-Filler: ${"x".repeat(17_000)}`]))
          .status,
        431,
      );
    });
  });

  describe("when it starts", () => {
    const start = (config: Partial<Config>) => startService({ ...fixture.config, ...config }, () => {});

    // The last source gives a pepper, which has the form of a sealing key but decrypts nothing.
    const refused: [name: string, config: () => Partial<Config>, says: string][] = [
      ["a database of another environment", () => ({ environment: "production" }), "a sandbox database"],
      [
        "a database of another base URL",
        () => ({ publicBaseUrl: "https://other.example" }),
        "https://localhost:8443",
      ],
      [
        "a missing pepper file",
        () => ({ pepperSource: "file:/nowhere" }),
        "PEPPER_SOURCE: file:/nowhere returned no key: ENOENT",
      ],
      [
        "a sealing key that cannot decrypt the token key",
        () => ({ sealingKeySource: fixture.config.pepperSource }),
        "SEALING_KEY_SOURCE: no configured sealing key can decrypt the token key",
      ],
    ];
    for (const [name, config, says] of refused) {
      it(`rejects ${name}`, () => assertRejects(() => start(config()), Error, says).then(() => {}));
    }

    it("rejects a database that may lose acknowledged commits", async () => {
      const { sql, url } = fixture.books;
      const name = new URL(url).pathname.slice(1);
      await sql.unsafe(`alter database ${name} set synchronous_commit = off`);
      await assertRejects(() => start({}), Error, "synchronous_commit");
      await sql.unsafe(`alter database ${name} reset synchronous_commit`);
    });

    it("rejects another pepper than that of the first start, until a rotation declares it", async () => {
      const { sql } = fixture.books;
      const { pepperSource, sealingKeySource } = fixture.config;
      const names = await Promise.all(
        [pepperSource, sealingKeySource].map(async (source) => nameOfKey((await readKeys(source))[0]!)),
      );
      const stored = async () => (await sql`select pepper_name from gold.deployment`)[0]!.pepper_name;
      assertEquals(await stored(), names[0]);
      const error = await assertRejects(() => start({ pepperSource: sealingKeySource }), Error);
      assertEquals(
        error.message,
        `PEPPER_SOURCE: the source gives the pepper ${
          names[1]
        }, but the client secrets of this database are ` +
          `hashed with the pepper ${names[0]}: give that pepper, or see "A lost pepper" in docs/recovery.md.`,
      );
      assertEquals(await stored(), names[0]);
      const notes = () =>
        sql`select action, subject from gold.audit where action like 'pepper.%' order by id`;
      assertEquals([...await notes()].map((note) => Object.values(note)), [["pepper.keep", names[0]]]);
      await sql`select gold.rotate_pepper(${names[1]!})`;
      await assertRejects(() => start({}), Error, `hashed with the pepper ${names[1]}`);
      await (await start({ pepperSource: sealingKeySource })).stop();
      await sql`select gold.rotate_pepper(${names[0]!})`;
      assertEquals((await notes()).length, 3);
    });

    it("replaces a killed service's socket, but not a live socket or a file", async () => {
      const killed = createServer();
      const stale = `${path()}.stale`;
      // Make a socket file without a listener, as kill -9 leaves it. The hard link stays when the listener
      // removes its own file.
      killed.listen(`${stale}.own`);
      await once(killed, "listening");
      await link(`${stale}.own`, stale);
      await new Promise((resolve) => killed.close(resolve));
      const listen = { kind: "unix", path: stale } as const;
      const service = await start({ listen });
      assertEquals((await sendRaw(listen, ["GET /health HTTP/1.1", ...identity()])).status, 200);
      const operationsListen = { kind: "unix", path: `${path()}.operations` } as const;
      await assertRejects(() => start({ listen, operationsListen }), Error, "Another service listens");
      await service.stop();
      await writeFile(stale, "precious");
      await assertRejects(() => start({ listen }), Error, "is not a socket");
      await rm(stale);
    });

    it("rejects every request on TCP that lacks the proxy's secret", async () => {
      const proxySecret = randomBytes(24).toString("hex");
      const listen = { kind: "tcp", host: "127.0.0.1", port: await findFreePort() } as const;
      const service = await start({ listen, proxySecret });
      const send = async (...headers: string[]) =>
        codeOf(await sendRaw(listen, ["GET /health HTTP/1.1", ...identity(), ...headers]));
      assertEquals(await send(), "403 certificate_unknown");
      const secrets = [
        "",
        proxySecret.slice(1),
        `${proxySecret}0`,
        proxySecret.toUpperCase(),
        `${proxySecret}, ${proxySecret}`,
      ];
      for (const wrong of secrets) {
        assertEquals(await send(`X-Gold-Proxy-Secret: ${wrong}`), "403 certificate_unknown", wrong);
      }
      assertEquals(await send(`X-Gold-Proxy-Secret: ${proxySecret}`), '200 {"status":"ok"}');
      await service.stop();
    });
  });

  describe("when it stops", () => {
    it("finishes in-flight requests and accepts no new connection", async () => {
      const service = await startService(fixture.config, () => {});
      const { books, partner } = fixture;
      // Raise the lock timeout, because on a slow machine this test may hold the account's lock for longer
      // than the default.
      await books.sql`alter function gold.book_funding set lock_timeout = '9s'`;
      const holder = books.connect("superuser", 1);
      await holder`begin`;
      await holder`select from gold.account where client_id = ${partner.client} for update`;
      const funding = fund();
      await until(async () => {
        const [row] = await books.sql`select count(*)::int as waiting from pg_locks where not granted`;
        return row!.waiting > 0;
      });
      const idle = openSocket(fixture.config.listen);
      await once(idle.resume(), "connect");
      const stopped = service.stop();
      await until(() => idle.closed);
      await assertRejects(() => sendRaw(fixture.config.listen, ["GET /health HTTP/1.1", ...identity()]));
      await holder`rollback`;
      assertEquals(await funding, 201);
      await stopped;
      const [row] = await books
        .sql`select sar_available::int as halalas from gold.account where client_id = ${partner.client}`;
      assertEquals(row!.halalas, 1000);
    });
  });

  /** Funds the partner over the socket, on a connection that would be kept alive. */
  async function fund(): Promise<number> {
    const body = '{"amount_sar":10}';
    const outgoing = request({
      socketPath: path(),
      path: "/sandbox/fund",
      method: "POST",
      headers: {
        "X-Forwarded-Client-Cert": `Hash=${fixture.partner.fingerprint}`,
        "X-Client-Ip": "127.0.0.1",
        "Content-Type": "application/json",
        "Content-Length": body.length,
        "Idempotency-Key": randomUUID(),
      },
    });
    outgoing.end(body);
    const [reply] = await once(outgoing, "response");
    reply.resume();
    return reply.statusCode;
  }
});

describe("readReply()", () => {
  it("reads the status of a raw reply", () =>
    assertEquals(readReply("HTTP/1.1 204 No Content\r\n\r\n").status, 204));
});
