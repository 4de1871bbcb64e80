import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { type Credentials, newServerAuthority } from "@gold-partner/dev";
import { issueServerCertificate, openAuthority, readAuthorityKey } from "@gold-partner/operator";
import {
  createTestAuthority,
  newTestKey,
  type TestReceiver,
  testReceiver,
} from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../../tools/testing/until.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { type Found, openReceiver, runCli, writeCredentials } from "./cli_fixture.ts";
import { MISTAKES, signedByHand } from "./signed_by_hand_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { findFreePort } from "@gold-partner/dev/postgres";

const CHECKS = [
  ...["connection", "certificate", "clock", "address", "token", "signature", "credentials", "webhook"],
];

/** What `doctor` reports for a fault. The gateway and Envoy cause different reports for some faults. */
interface ShownFault {
  readonly check: string;
  readonly says: RegExp;
  readonly cure: RegExp;
  readonly exit: number;
}

interface ProxyFaults {
  readonly revoked: ShownFault;
  readonly otherName: ShownFault;
}

const EXPECTED: Readonly<Record<"gateway" | "Envoy", ProxyFaults>> = {
  gateway: {
    revoked: { check: "certificate", says: /certificate_revoked/, cure: /certificate/, exit: 1 },
    otherName: {
      check: "signature",
      says: /wrong_host: base_url is https:\/\/127\.0\.0\.1:\d+, but .* is https:\/\/localhost:\d+\./,
      cure: /Set base_url in .* to https:\/\/localhost:/,
      exit: 1,
    },
  },
  Envoy: {
    // On a fast machine, Deno notices that the connection is closed before it reads the alert.
    revoked: {
      check: "certificate",
      says: /\((alert.*revoked|connection closed)\)/i,
      cure: /revoked/,
      exit: 2,
    },
    otherName: { check: "connection", says: /not by this name/, cure: /Spell base_url/, exit: 1 },
  },
};

/** Tests `doctor` with the real service, through the development gateway or the real Envoy. */
export function testDoctor(proxy: keyof typeof EXPECTED): void {
  const { revoked, otherName } = EXPECTED[proxy];
  let stack: Stack;
  const folder = temporaryFolder("gold-doctor");
  let receiver: TestReceiver;

  before(async () => {
    stack = await Stack.open({ envoy: proxy === "Envoy", fresh: true });
    receiver = await openReceiver(stack);
  });
  after(async () => {
    await receiver?.stop();
    await stack?.close();
  });

  interface Visit {
    readonly changes?: Parameters<typeof writeCredentials>[2];
    readonly now?: () => number;
    readonly more?: readonly string[];
  }

  async function examine({ changes = {}, now = Date.now, more = [] }: Visit = {}) {
    const file = await writeCredentials(folder, stack.partner.credentials, changes);
    const { exit, out, err } = await runCli(["doctor", "--json", "--credentials", file, ...more], { now });
    assertEquals(err, "");
    return { exit, items: (JSON.parse(out) as { items: Found[] }).items };
  }

  /** Requires that this check fails and no other. Other checks may be skipped. */
  async function expectFault(check: string, says: RegExp, cure: RegExp, code: number, visit: Visit = {}) {
    const { exit, items } = await examine(visit);
    const failed = items.filter(({ result }) => result === "failed");
    assertEquals([failed.map((item) => item.check), exit], [[check], code], JSON.stringify(items));
    assertMatch(failed[0]!.detail, says);
    assertMatch(failed[0]!.cure!, cure);
    assert(!failed[0]!.detail.includes(failed[0]!.cure!), failed[0]!.detail);
  }

  const expectShown = ({ check, says, cure, exit }: ShownFault, visit: Visit) =>
    expectFault(check, says, cure, exit, visit);

  const pem = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };

  it("reports no fault for a partner whose configuration is correct", async () => {
    const { exit, items } = await examine();
    assertEquals([exit, items.map(({ check }) => check)], [0, CHECKS]);
    assertEquals(items.map(({ result, cure }) => [result, cure]), CHECKS.map(() => ["ok", null]));
  });

  it("prints one line for each check", async () => {
    const file = await writeCredentials(folder, stack.partner.credentials);
    const { out } = await runCli(["doctor"], { env: { GOLD_CREDENTIALS: file } });
    assertEquals(
      out.split("\n").map((line) => line.split(/ +/).slice(0, 2).join(" ")),
      CHECKS.map((name) => `ok ${name}`),
    );
  });

  it("names an expired certificate", async () => {
    const { certificates } = await stack.operator("ca show") as { certificates: string };
    const key = await readFile(stack.running.state.path("pki", "partner_ca_key.pem"), "utf8");
    const authority = await openAuthority(certificates, await readAuthorityKey(key));
    const endMs = Math.ceil(Date.now() / 1000) * 1000 + 1000;
    const short = await issueServerCertificate({
      ...{ authority, names: ["short"], organization: "Test" },
      ...{ issuedAt: new Date(endMs - 86_400_000), days: 1 },
    });
    const changes = {
      cert: await pem("short.pem", short.pem),
      key: await pem("short_key.pem", short.privateKeyPem),
    };
    await until(() => Date.now() > endMs + 1000);
    await expectFault("certificate", /short\.pem expired at /, /new certificate/, 1, { changes });
  });

  it("names a certificate of another CA, of another partner, and a revoked one", async () => {
    const { client_id } = stack.partner.credentials;
    const other = createTestAuthority().issue([client_id]);
    const changes = {
      cert: await pem("other.pem", other.cert),
      key: await pem("other_key.pem", other.key),
    };
    await expectFault("certificate", /ended the connection .* does not accept .*other\.pem/, /operator/, 2, {
      changes,
    });
    const second = (await stack.onboard("Second Bank")).credentials;
    const { cert, key } = second;
    await expectFault("certificate", /belongs to sbx_/, /one partner/, 1, { changes: { cert, key } });
    const { items: [registered] } = await stack.operator(`cert list ${second.client_id}`) as {
      items: { fingerprint: string }[];
    };
    await stack.operator(`cert revoke ${registered!.fingerprint} --reason superseded`);
    await until(async () => (await examine({ changes: { ...second } })).exit === revoked.exit);
    await expectShown(revoked, { changes: { ...second } });
  });

  it("names a wrong CA", async () => {
    const changes = { ca: await pem("other_ca.pem", (await newServerAuthority()).ca) };
    await expectFault(
      "connection",
      /certificate of https:.* is not trusted/,
      /Set ca in .*other_ca\.pem/,
      2,
      { changes },
    );
  });

  it("names a wrong address", async () => {
    const { client_id } = stack.partner.credentials;
    await stack.operator(`partner set ${client_id} --ip 192.0.2.1/32`);
    await until(async () => (await examine()).exit !== 0);
    await expectFault("address", /ip_not_allowed/, /ask the operator to add your egress range/, 1);
    await stack.operator(`partner set ${client_id} --ip 127.0.0.1/32 --ip ::1/128`);
    await until(async () => (await examine()).exit === 0);
  });

  it("names a wrong clock", async () => {
    for (
      const [skewMs, says] of [[1_000_000, /16 minutes 4\d seconds ahead of .* within 5 minutes\./], [
        -1_000_000,
        /16 minutes (?:3\d|40) seconds behind/,
      ]] as const
    ) {
      await expectFault("clock", says, /NTP/, 1, { now: () => Date.now() + skewMs });
    }
  });

  it("names the clock if it is outside the validity of the service's certificate", async () => {
    const authority = createTestAuthority();
    const ca = await pem("dated_ca.pem", authority.ca);
    for (const days of [[1, 2], [-2, -1]] as const) {
      const dated = await testReceiver({ certificate: authority.issue(["localhost"], ...days) });
      const changes = { base_url: `https://localhost:${dated.port}`, ca };
      const says = /is valid from 2\S+ to 2\S+, but this machine's clock says 2/;
      await expectFault("connection", says, /^Set this machine's clock/, 2, { changes });
      await dated.stop();
    }
  });

  it("names a wrong base URL", async () => {
    const byAddress = stack.running.baseUrl.replace("localhost", "127.0.0.1");
    await expectShown(otherName, { changes: { base_url: byAddress } });
    const closed = `https://localhost:${await findFreePort()}`;
    await expectFault("connection", /cannot be reached/, /Check base_url/, 3, {
      changes: { base_url: closed },
    });
    const elsewhere = { base_url: `https://localhost:${receiver.port}` };
    await expectFault("connection", /is not this service/, /Check base_url/, 3, { changes: elsewhere });
  });

  it("names a wrong client_secret, and another signing key", async () => {
    await expectFault("token", /invalid_client/, /client_secret/, 1, {
      changes: { client_secret: "guessed" },
    });
    const { signing_key } = (await stack.onboard("Third Bank")).credentials;
    await expectFault("signature", /signature: /, /registered signing_key/, 1, { changes: { signing_key } });
  });

  it("names a certificate or signing key that the credentials file does not know", async () => {
    const { credentials } = await stack.onboard("Fourth Bank");
    const { publicJwk, thumbprint } = await newTestKey();
    const file = await pem("other_key.jwk", JSON.stringify(publicJwk));
    await stack.operator(`signing-key add ${credentials.client_id}`, file);
    const says = new RegExp(`not known to .*: signing_key ${thumbprint}, accepted from 2\\S+Z\\.$`);
    const cure = /stop trading and call the operator.* known_thumbprints in /;
    await expectFault("credentials", says, cure, 1, { changes: { ...credentials } });
    const endedOf = async (known_thumbprints: readonly string[]) => {
      const { exit, items } = await examine({ changes: { ...credentials, known_thumbprints } });
      const { detail } = items.find(({ check }) => check === "credentials")!;
      return `${exit} ${/have ended: (\d+),/.exec(detail)?.[1]}`;
    };
    assertEquals(await endedOf([thumbprint]), "0 0");
    await stack.operator(`signing-key retire ${credentials.client_id} ${thumbprint}`);
    // The program knows the service's time only roughly, so it may still take the key as accepted for some
    // runs.
    await until(async () => await endedOf([]) === "0 1");
    assertEquals(await endedOf([thumbprint]), "0 0");
  });

  it("names a receiver that refuses, and one that cannot be reached", async () => {
    receiver.answer(400);
    await expectFault("webhook", /answered 400/, /check-receiver/, 1);
    await receiver.stop();
    // Repeat this until the service pauses the endpoint. Later test events then wait behind earlier events.
    for (let count = 0; count < 7; count++) {
      await expectFault("webhook", /gave no answer/, /Nothing accepts connections/, 1);
    }
    receiver = await openReceiver(stack);
    await until(async () => (await examine()).exit === 0);
  });

  for (const mistake of Object.keys(MISTAKES) as (keyof typeof MISTAKES)[]) {
    it(`explains a request with the mistake ${mistake}`, async () => {
      const request = await pem("request.txt", await signedByHand(stack.partner.credentials, mistake));
      const visit = { more: ["--request", request] };
      await expectFault(
        "request",
        new RegExp(`^${mistake}: (?:signature|header|timestamp): `),
        /^(?:Sign exactly|Correct this header)/,
        1,
        visit,
      );
    });
  }

  for (const host of ["api.bank.example", "localhost:9999"]) {
    it(`names wrong_host for a request that is addressed to ${host}`, async () => {
      const credentials = { ...stack.partner.credentials, base_url: `https://${host}` };
      const request = await pem("request.txt", await signedByHand(credentials));
      const says = new RegExp(
        `^wrong_host: the request addresses ${host}, but .* https://localhost:\\d+\\. `,
      );
      await expectFault("request", says, /^Sign exactly/, 1, { more: ["--request", request] });
    });
  }

  it("accepts a correctly signed request, without a signing key in the credentials", async () => {
    const request = await pem("request.txt", await signedByHand(stack.partner.credentials));
    const { exit, items } = await examine({ more: ["--request", request], changes: { signing_key: null } });
    assertEquals([exit, items.at(-1)!.check, items.at(-1)!.result], [0, "request", "ok"]);
    assert(!items.some(({ check }) => check === "webhook"));
  });

  it("reports unusable credentials before any check", async () => {
    const file = await writeCredentials(folder, stack.partner.credentials as Credentials, { cert: null });
    const { exit, out, err } = await runCli(["doctor", "--credentials", file]);
    assertEquals([exit, out], [2, ""]);
    assertMatch((JSON.parse(err) as { detail: string }).detail, /cert is missing/);
  });
}
