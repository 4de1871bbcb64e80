import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { newWebhookSecret } from "@gold-partner/protocol";
import { assertEquals, assertMatch } from "@std/assert";
import type { Finding } from "../command.ts";
import { TestSender } from "./test_sender.ts";
import { checkReceiver } from "./check_receiver.ts";
import { ReceiverLog } from "./log.ts";
import { FAULTS, type ReceiverFault, startFaultyReceiver } from "./faulty_receiver_fixture.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const secret = newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));

const ALL = Object.keys(FAULTS) as ReceiverFault[];

interface Plan {
  readonly fault?: ReceiverFault;
  readonly hasLog?: boolean;
  readonly next?: number;
}

describe("checkReceiver()", () => {
  const folder = temporaryFolder("check-receiver");
  const found = new Map<ReceiverFault, readonly Finding[]>();
  before(async () => {
    // All at once, because a check mostly waits for the receiver's log.
    await Promise.all(ALL.map(async (fault) => found.set(fault, await check({ fault }))));
  });

  async function check({ fault, hasLog = true, next = 1 }: Plan): Promise<Finding[]> {
    const log = join(folder, `${fault}_${hasLog}_${next}.log`);
    writeFileSync(log, "");
    const receiver = await startFaultyReceiver({ secret, log, ...(fault ? { fault } : {}) });
    const url = receiver.url;
    const sender = new TestSender({
      ...{ secret, next, now: Date.now },
      receiver: fault === "answers_too_late" ? { url, answerMaxMs: 200 } : { url },
      log: hasLog ? new ReceiverLog(log) : undefined,
    });
    const findings: Finding[] = [];
    for await (const finding of checkReceiver(sender)) findings.push(finding);
    await receiver.stop();
    return findings;
  }
  const named = (findings: readonly Finding[], wanted: Finding["result"]) =>
    findings.filter(({ result }) => result === wanted).map(({ check }) => check);

  it("passes a receiver without a fault", async () => {
    const findings = await check({});
    assertEquals([findings.length, named(findings, "ok").length], [11, 11]);
  });

  it("passes this receiver without a log, and skips the checks that need a log", async () => {
    const findings = await check({ hasLog: false });
    assertEquals([named(findings, "failed"), named(findings, "skipped")], [[], ["gap", "filtered"]]);
  });

  it("reports that the receiver does not process events, if --next is wrong", async () => {
    const [first] = await check({ next: 7 });
    assertEquals([first!.check, first!.result], ["delivery", "failed"]);
    assertMatch(first!.detail, /wrote no line with evt_/);
    assertMatch(first!.cure!, /--next/);
  });

  for (const fault of ALL) {
    it(`finds the fault ${fault}`, () => {
      const findings = found.get(fault)!;
      assertEquals(named(findings, "failed"), [...FAULTS[fault]]);
      for (const { result, cure } of findings) assertEquals(cure !== undefined, result === "failed");
      if (fault === "answers_too_late") assertEquals(named(findings, "skipped").length, 10);
    });
  }

  it("names the previous_sequence of the event that was not processed", () => {
    const { detail, cure } = found.get("waits_for_every_number")!.find(({ check }) => check === "filtered")!;
    assertMatch(detail, /^answered 2xx to event (\d+) with previous_sequence \d+, but never processed it\.$/);
    assertMatch(cure!, /previous_sequence names, not for sequence - 1/);
  });

  it("distinguishes a receiver that processes a forgery from one that only answers too early", () => {
    const detailOf = (fault: ReceiverFault) =>
      found.get(fault)!.find(({ check }) => check === "forged")!.detail;
    assertMatch(detailOf("accepts_forged"), /answered 200 to a signature by another secret and processed it/);
    assertEquals(detailOf("accepts_forged").match(/and processed it/g)?.length, 3);
    assertMatch(detailOf("answers_before_verifying"), /answered 200 to .* but did not process it/);
  });
});
