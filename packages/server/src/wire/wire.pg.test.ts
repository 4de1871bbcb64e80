import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type TrialGateway, trialGateway, type TrialService, trialService } from "@gold-partner/dev";
import { type Service, startService } from "../service.ts";
import { oddRequests } from "./meanings_trial.ts";
import { brokenRequests, type RequestCase } from "./requests_trial.ts";
import { sendBytes, verdictsOf } from "./trial.ts";

const REQUEST_ID = /\r\nx-request-id: req_/i;
const SHOWN = 1000;

describe("the service on the wire", () => {
  let trial: TrialService;
  let service: Service;
  let gateway: TrialGateway;
  before(async () => {
    trial = await trialService();
    gateway = await trialGateway(trial);
    service = await startService(trial.config, () => {});
  });
  after(async () => {
    await gateway.stop();
    await service.stop();
    await trial.stop();
  });

  const path = () => trial.config.listen.kind === "unix" ? trial.config.listen.path : "";
  const direct = () => connect(path());
  const client = async (identity: readonly string[]) => {
    const { clientId, clientSecret } = trial.partner;
    return { identity, clientId, clientSecret, token: await trial.token() };
  };
  const vouched =
    () => [`X-Forwarded-Client-Cert: Hash=${trial.partner.fingerprint}`, "X-Client-Ip: 127.0.0.1"];

  async function judge(cases: readonly RequestCase[], open: () => Duplex | Promise<Duplex>): Promise<void> {
    const wrong: string[] = [];
    for (const { text, verdict } of cases) {
      const received = await sendBytes(await open(), text);
      const verdicts = verdictsOf(received);
      if (verdicts.length === 1 && verdicts[0] === verdict && REQUEST_ID.test(received)) continue;
      wrong.push(`${JSON.stringify(text.slice(0, SHOWN))}: ${received.slice(0, SHOWN)}, not ${verdict}`);
    }
    assertEquals(wrong, []);
  }

  it("refuses what is no request, straight at its socket and behind the gateway", async () => {
    await judge(brokenRequests(await client(vouched())), direct);
    await judge(brokenRequests(await client([])), () => gateway.open());
  });

  it("answers odd requests as documented, straight at its socket", async () => {
    await judge(oddRequests(await client(vouched())), direct);
  });

  it("answers odd requests as documented behind the gateway", async () => {
    // A token is bound to the certificate that asked for it.
    const sender = await client([]);
    await judge(oddRequests({ ...sender, token: await tokenBehindGateway() }), () => gateway.open());
  });

  it("judges a doubled word of the proxy as doubled", async () => {
    const [hash = "", ip = ""] = vouched();
    const health = (...more: string[]) =>
      ["GET /health HTTP/1.1", "Host: localhost", hash, ip, ...more, "Connection: close", "", ""].join(
        "\r\n",
      );
    for (const [more, verdict] of [[hash, "403 certificate_unknown"], [ip, "403 ip_not_allowed"]] as const) {
      assertEquals(verdictsOf(await sendBytes(direct(), health(more))), [verdict]);
    }
  });

  async function tokenBehindGateway(): Promise<string> {
    const { clientId, clientSecret } = trial.partner;
    const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
    const head = ["POST /oauth/token HTTP/1.1", "Host: localhost", "Connection: close"];
    head.push("Content-Type: application/x-www-form-urlencoded", `Content-Length: ${form.length}`);
    const received = await sendBytes(await gateway.open(), [...head, "", form].join("\r\n"));
    return /"access_token":"([^"]+)"/.exec(received)![1]!;
  }
});
