import { afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { FORBIDDEN_ADDRESSES } from "../../http/outbound/forbidden_fixture.ts";
import { startNameServer } from "../../http/outbound/name_server_fixture.ts";
import { startPlace } from "./receiver_fixture.ts";
import { createResolver } from "../../http/outbound/resolve_host.ts";
import { createSender } from "./sender.ts";
import { authority, HEADERS, HOST, RULES, testSender } from "./sender_fixture.ts";
import { setUp } from "../../../testing/set_up.ts";

const PROXY_VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "NODE_USE_ENV_PROXY",
];

describe("Sender.post() to forbidden addresses", () => {
  const place = setUp(() => startPlace());
  const names = setUp(() => startNameServer());
  afterEach(() => assertEquals([place.connections(), place.bytes()], [0, 0]));

  const strict = () => {
    const ports = [443, place.port];
    return createSender({
      rules: () => ({ loopbackReceivers: false, ports }),
      resolve: createResolver([names.address]),
      nowMs: Date.now,
    });
  };

  it("sends nothing to a forbidden address in the URL or behind a host name", async () => {
    const sender = strict();
    for (const [index, address] of FORBIDDEN_ADDRESSES.entries()) {
      names.says(`n${index}.example`, [address]);
      names.says(`m${index}.example`, ["8.8.8.8", address]);
      const literal = address.includes(":") ? `[${address}]` : address;
      for (const host of [literal, `n${index}.example`, `m${index}.example`]) {
        const { error, httpStatus } = await sender.post(`https://${host}:${place.port}/`, HEADERS, "{}");
        assertEquals([error, httpStatus], ["address_forbidden", null], host);
      }
    }
    sender.stop();
  });

  it("sends nothing to this machine under any spelling of its name or address", async () => {
    const sender = strict();
    for (const host of ["localhost", "a.localhost", "LocalHost", "127.1", "2130706433", "0", "%6cocalhost"]) {
      const { error } = await sender.post(`https://${host}:${place.port}/`, HEADERS, "{}");
      assertEquals(error, "address_forbidden", host);
    }
    sender.stop();
  });

  it("sends nothing to a port that is not allowed or to an invalid URL", async () => {
    const sender = strict();
    const errorOf = async (url: string) => (await sender.post(url, HEADERS, "{}")).error;
    assertEquals(await errorOf("https://8.8.8.8:22/"), "port_forbidden");
    for (const url of [`http://127.0.0.1:${place.port}/`, `https://u@127.0.0.1:${place.port}/`, "", "x"]) {
      assertEquals(await errorOf(url), "url_invalid", url);
    }
    assertEquals(await errorOf("https://nowhere.example/"), "dns_failed");
    sender.stop();
  });

  it("does not follow a redirect to a forbidden address", async () => {
    const fixture = await testSender();
    fixture.receiver.answers((response) =>
      void response.writeHead(307, { Location: `https://127.0.0.1:${place.port}/` }).end()
    );
    assertEquals((await fixture.post()).error, "redirect");
    await fixture.stop();
  });

  it("ignores proxy variables in the environment", async () => {
    const fixture = await testSender();
    for (const name of PROXY_VARIABLES) process.env[name] = `http://127.0.0.1:${place.port}`;
    try {
      assertEquals((await fixture.post()).httpStatus, 204);
    } finally {
      for (const name of PROXY_VARIABLES) delete process.env[name];
      await fixture.stop();
    }
  });
});

describe("Sender.post() to a host name whose addresses change", () => {
  const names = setUp(() => startNameServer());
  let clockMs = 0;
  const fixture = setUp(() =>
    testSender({ resolve: createResolver([names.address]), monotonicMs: () => clockMs })
  );

  const outcome = async () => {
    const { httpStatus, error } = await fixture.post();
    return httpStatus ?? error;
  };

  it("connects to the address that it checked, without another DNS query", async () => {
    names.says(HOST, ["127.0.0.1"]);
    assertEquals(await outcome(), 204);
    assertEquals(new Set(names.questions), new Set([`${HOST} A`, `${HOST} AAAA`]));
    // Wait, because on a slow machine the resolver may repeat a query after one second, and the repeated
    // query may arrive late.
    await sleep(50);
    const { length } = names.questions;
    names.says(HOST, ["10.0.0.1"]);
    assertEquals(await outcome(), 204);
    assertEquals(names.questions.length, length);
  });

  it("sends nothing after an address becomes forbidden, even over an open connection", async () => {
    // Open a fresh connection, because the sender closes a connection after a few idle seconds.
    assertEquals(await outcome(), 204);
    clockMs += 10_000;
    assert(fixture.receiver.open() > 0);
    const received = fixture.receiver.received.length;
    const answers = [["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["127.0.0.1", "0.0.0.0"], [
      "127.0.0.1",
      "fd00::1",
    ]];
    for (const addresses of answers) {
      names.says(HOST, addresses);
      assertEquals(await outcome(), "address_forbidden", `${addresses}`);
      clockMs += 1000;
    }
    assertEquals(fixture.receiver.received.length, received);
  });

  it("opens a new connection after the addresses changed", async () => {
    names.says(HOST, ["127.0.0.1", "127.0.0.2"]);
    const opened = fixture.receiver.opened();
    assertEquals(await outcome(), 204);
    assertEquals(fixture.receiver.opened(), opened + 1);
  });

  it("tries the next address if one refuses the connection, up to three addresses", async () => {
    const cases = [
      [["127.0.0.2", "127.0.0.3", "127.0.0.1"], 204],
      [["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1"], "connect_failed"],
    ] as const;
    for (const [addresses, expected] of cases) {
      const sender = createSender({
        rules: () => RULES,
        nowMs: Date.now,
        resolve: () => Promise.resolve(addresses),
        ca: authority.ca,
      });
      const { httpStatus, error } = await sender.post(
        `https://${HOST}:${fixture.receiver.port}/`,
        HEADERS,
        "{}",
      );
      assertEquals(httpStatus ?? error, expected);
      sender.stop();
    }
  });

  it("applies the deployment's current rules", async () => {
    const rules = { loopbackReceivers: true, ports: [443] };
    const changed = await testSender({ rules: () => rules, monotonicMs: () => clockMs });
    assertEquals((await changed.post()).httpStatus, 204);
    rules.loopbackReceivers = false;
    clockMs += 10_000;
    assertEquals((await changed.post()).error, "port_forbidden");
    await changed.stop();
  });
});
