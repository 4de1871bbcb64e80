import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals, assertRejects } from "@std/assert";
import { type ChildProgram, startProgram } from "./child_program.ts";
import { holdable } from "./webhooks/worker.ts";

const FIXTURE = new URL("./child_program_fixture.ts", import.meta.url);

async function withProgram(act: (program: ChildProgram) => Promise<void>): Promise<void> {
  const program = startProgram(FIXTURE);
  try {
    await act(program);
  } finally {
    program.stop();
  }
}

describe("startProgram()", () => {
  it("matches each reply to its command while several commands are in flight", () =>
    withProgram(async ({ ask }) => {
      const replies = ["one", "two", "three"].map((say) => ask<{ said: string }>({ say }));
      assertEquals((await Promise.all(replies)).map(({ said }) => said), ["one", "two", "three"]);
    }));
  it("throws the program's error, and continues to accept commands", () =>
    withProgram(async ({ ask }) => {
      await assertRejects(() => ask({ say: "" }), Error, "child_program_fixture.ts failed: nothing to say");
      assertEquals(await ask({ say: "on" }), { said: "on" });
    }));
  it("stops the program during a command, and rejects that command and later ones", () =>
    withProgram(async ({ ask, stop }) => {
      const reply = ask({ say: "long" });
      stop();
      await assertRejects(() => reply, Error, "child_program_fixture.ts ended");
      await assertRejects(() => ask({ say: "gone" }), Error, "child_program_fixture.ts ended");
    }));
});

describe("holdable()", () => {
  it("pauses a process until it is released, repeatedly", () =>
    withProgram(async ({ pid, ask }) => {
      await ask({ say: "here" });
      const process = holdable(pid);
      for (const say of ["first", "second"]) {
        let heard = false;
        const reply = ask({ say }).then(() => heard = true);
        await sleep(100);
        assertEquals(heard, false);
        process.release();
        await reply;
        process.hold();
      }
      process.release();
    }));
});
