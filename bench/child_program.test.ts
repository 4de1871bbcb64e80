import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals, assertRejects } from "@std/assert";
import { type ChildProgram, startProgram } from "./child_program.ts";
import { holdable } from "./webhooks/worker.ts";

const TRIAL = new URL("./child_program_trial.ts", import.meta.url);

async function withProgram(act: (program: ChildProgram) => Promise<void>): Promise<void> {
  const program = startProgram(TRIAL);
  try {
    await act(program);
  } finally {
    program.stop();
  }
}

describe("startProgram()", () => {
  it("gives each errand its own reply, also where several are under way", () =>
    withProgram(async ({ ask }) => {
      const replies = ["one", "two", "three"].map((say) => ask<{ said: string }>({ say }));
      assertEquals((await Promise.all(replies)).map(({ said }) => said), ["one", "two", "three"]);
    }));
  it("throws what the program threw, and asks on", () =>
    withProgram(async ({ ask }) => {
      await assertRejects(() => ask({ say: "" }), Error, "child_program_trial.ts failed: nothing to say");
      assertEquals(await ask({ say: "on" }), { said: "on" });
    }));
  it("ends the program in the middle of an errand, too, and says that it did", () =>
    withProgram(async ({ ask, stop }) => {
      const reply = ask({ say: "long" });
      stop();
      await assertRejects(() => reply, Error, "child_program_trial.ts ended");
      await assertRejects(() => ask({ say: "gone" }), Error, "child_program_trial.ts ended");
    }));
});

describe("holdable()", () => {
  it("holds a process until it is released, as often as one wants", () =>
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
