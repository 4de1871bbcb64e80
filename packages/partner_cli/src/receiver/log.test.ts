import { writeFileSync } from "node:fs";
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ReceiverLog } from "./log.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

describe("ReceiverLog", () => {
  it("waits for a file that the receiver creates with its first event", async () => {
    const folder = temporaryFolder("receiver-log");
    const file = join(folder, "receiver.log");
    const found = new ReceiverLog(file).await(["evt_1"]);
    await sleep(200);
    writeFileSync(file, "processed evt_1\n");
    assertEquals(await found, ["evt_1"]);
  });
});
