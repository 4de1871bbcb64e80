import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkEndpoint } from "./check_endpoint.ts";
import { FORBIDDEN_ADDRESSES, PUBLIC_ADDRESSES } from "./forbidden_fixture.ts";
import { startNameServer } from "./name_server_fixture.ts";
import { createResolver } from "./resolve_host.ts";

const RULES = { loopbackReceivers: false, ports: [443, 8443] };
const WITH_LOOPBACK = { ...RULES, loopbackReceivers: true };
const urlOf = (address: string) => `https://${address.includes(":") ? `[${address}]` : address}/`;
const nowhere = () => Promise.resolve([]);
const faultOf = async (...parameters: Parameters<typeof checkEndpoint>) =>
  (await checkEndpoint(...parameters))?.message;
const publicly = () => Promise.resolve(["8.8.8.8"]);

describe("checkEndpoint()", () => {
  it("rejects each forbidden address as the URL's host, and accepts public addresses", async () => {
    for (const address of FORBIDDEN_ADDRESSES) {
      assert((await faultOf(urlOf(address), RULES))?.includes("is not public ("), address);
    }
    for (const address of PUBLIC_ADDRESSES) {
      assertEquals(await faultOf(urlOf(address), RULES), undefined, address);
    }
  });

  it("rejects a name that resolves to a forbidden address, alone or among public addresses", async () => {
    const server = await startNameServer();
    const resolve = createResolver([server.address]);
    try {
      for (const [index, address] of FORBIDDEN_ADDRESSES.entries()) {
        const [alone, behind] = [`alone-${index}.example`, `behind-${index}.example`];
        server.says(alone, [address]);
        server.says(behind, ["8.8.8.8", address, "2001:4860:4860::8888"]);
        for (const name of [alone, behind]) {
          const fault = await faultOf(`https://${name}/`, RULES, resolve);
          assert(fault?.startsWith(`The webhook's host ${name} resolves to `), `${name}: ${address}`);
        }
      }
      server.says("public.example", ["8.8.8.8", "2001:4860:4860::8888"]);
      assertEquals(await faultOf("https://public.example/", RULES, resolve), undefined);
    } finally {
      await server.stop();
    }
  });

  it("allows loopback receivers any port except 0, and others only the deployment's ports", async () => {
    const resolve = (name: string) =>
      Promise.resolve(name === "mixed.example" ? ["127.0.0.1", "8.8.8.8"] : ["127.0.0.1"]);
    const judge = (url: string, rules = WITH_LOOPBACK) => faultOf(url, rules, resolve);
    for (const host of ["127.0.0.1", "[::1]", "localhost", "hooks.localhost", "loopback.example"]) {
      assertEquals(await judge(`https://${host}:9999/hooks`), undefined, host);
      assertStringIncludes(await judge(`https://${host}:0/`) ?? "", "port is 0", host);
      const refused = await judge(`https://${host}/hooks`, RULES);
      assert(refused?.includes("is not public (loopback)"), `${host}: ${refused}`);
    }
    for (const host of ["8.8.8.8", "mixed.example"]) {
      assertEquals(
        await judge(`https://${host}:9999/`),
        "The webhook's port is 9999: it must be 443 or 8443.",
      );
      assertEquals(await judge(`https://${host}/`), undefined);
    }
  });

  it("accepts an https URL with a port of the deployment, a path and a query", async () => {
    const urls = [
      ...["https://hooks.example", "https://hooks.example/", "https://hooks.example:443/a/b?c=d&e=%20"],
      ...[
        "https://hooks.example:8443/",
        "HTTPS://Hooks.Example/",
        "https://münchen.example/",
        "https://a_b.example/",
      ],
      ...[`https://${"a".repeat(63)}.example/`, `https://hooks.example/${"x".repeat(2000)}`],
    ];
    for (const url of urls) {
      assertEquals(await faultOf(url, RULES, publicly), undefined, url);
    }
  });

  it("names the fault of any other URL", async () => {
    const faults: Record<string, readonly string[]> = {
      "must be an https URL": [
        ...[
          "",
          "hooks.example",
          "http://hooks.example/",
          "ftp://hooks.example/",
          "//hooks.example/",
          "https://",
        ],
        ...[
          "https:///",
          "https://hooks .example/",
          "https://hooks.example/a b",
          "https://hooks.example/\n",
          " https://x.example",
        ],
        ...[
          "https://1.2.3.4.5/",
          "https://256.1.1.1/",
          "https://[::1",
          "https://[fe80::1%25eth0]/",
          "https://x:65536/",
          "wss://x.example",
        ],
        ...[
          "javascript:alert(1)",
          "data:,x",
          "file:///etc/passwd",
          "unix:/run/x.sock",
          "https://%00.example/",
        ],
      ],
      "contains a user name or password": [
        "https://user@hooks.example/",
        "https://u:p@hooks.example/",
        "https://:p@hooks.example/",
      ],
      "has a fragment": [
        "https://hooks.example/#",
        "https://hooks.example/#x",
        "https://hooks.example#@127.0.0.1/",
      ],
      "invalid host": [
        ...[
          "https://hooks.example./",
          "https://./",
          "https://a..example/",
          `https://${"a".repeat(64)}.example/`,
        ],
        ...[`https://${"a.".repeat(126)}aa/`, "https://a*b.example/", "https://hooks.example,evil.example/"],
      ],
      "longer than 2048 characters": [`https://hooks.example/${"x".repeat(2048)}`],
      "port is 8080": ["https://hooks.example:8080/"],
      "port is 22": ["https://hooks.example:22/"],
      "port is 0": ["https://hooks.example:0/"],
    };
    for (const [fault, urls] of Object.entries(faults)) {
      for (const url of urls) {
        assertStringIncludes((await faultOf(url, RULES, publicly)) ?? "accepted", fault, url);
      }
    }
  });

  it("rejects a forbidden host in every spelling", async () => {
    const hosts = [
      ...[
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
      ],
      ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "%6c%6f%63alhost"],
      ...[
        "LOCALHOST",
        "localhost",
        "a.b.localhost",
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "0",
        "0x0",
        "%31%32%37.0.0.1",
      ],
      ...["169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "[fd00:ec2::254]"],
    ];
    for (const host of hosts) {
      const fault = await faultOf(`https://${host}/`, RULES, publicly);
      assert(fault?.includes("is not public") || fault?.includes("invalid host"), `${host}: ${fault}`);
    }
  });

  it("returns dns_failed for a name without an address, unless the port is forbidden", async () => {
    const judge = (url: string, rules = RULES) => checkEndpoint(url, rules, nowhere);
    const unknown = await judge("https://hooks.example/");
    assertEquals([unknown?.code, unknown?.message], [
      "dns_failed",
      "DNS has no address for hooks.example.",
    ]);
    assertEquals((await judge("https://hooks.example:9000/"))?.code, "port_forbidden");
    assertEquals((await judge("https://hooks.example:9000/", WITH_LOOPBACK))?.code, "dns_failed");
  });
});
