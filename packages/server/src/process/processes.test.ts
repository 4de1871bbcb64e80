import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { ConfigError } from "../settings/config.ts";
import { numberProcesses, restMs } from "./processes.ts";

const LISTEN = "unix:/run/gold/api_{n}.sock";
const OPERATIONS_LISTEN = "unix:/run/gold/operations_{n}.sock";

describe("numberProcesses()", () => {
  it("replaces {n} with each process's number, and changes nothing else", () => {
    assertEquals(numberProcesses({ PROCESSES: "2", LISTEN, OPERATIONS_LISTEN, LANES: "1" }), [
      {
        PROCESSES: "1",
        LISTEN: "unix:/run/gold/api_1.sock",
        OPERATIONS_LISTEN: "unix:/run/gold/operations_1.sock",
        LANES: "1",
      },
      {
        PROCESSES: "1",
        LISTEN: "unix:/run/gold/api_2.sock",
        OPERATIONS_LISTEN: "unix:/run/gold/operations_2.sock",
        LANES: "1",
      },
    ]);
  });

  it("runs one process by default, with {n} replaced by 1", () => {
    for (const [listen, own] of [["unix:/api.sock", "unix:/api.sock"], ["unix:/{n}", "unix:/1"]] as const) {
      const [only, ...others] = numberProcesses({ LISTEN: listen });
      assertEquals([only!.LISTEN, others.length], [own, 0]);
    }
  });

  it("rejects an invalid number, and an address that several processes would share", () => {
    const faultsOf = (variables: Record<string, string>) =>
      assertThrows(() => numberProcesses({ LISTEN, OPERATIONS_LISTEN, ...variables }), ConfigError).faults;
    for (const PROCESSES of ["0", "-1", "1.5", "01", "65", "", " 2", "two"]) {
      assertEquals(faultsOf({ PROCESSES }), [
        `PROCESSES must be a whole number from 1 to 64; got "${PROCESSES}".`,
      ], PROCESSES);
    }
    const shared = faultsOf({
      PROCESSES: "2",
      LISTEN: "unix:/a.sock",
      OPERATIONS_LISTEN: "127.0.0.1:9464",
      METRICS_LISTEN: "0.0.0.0:9466",
    });
    assertEquals(shared.map((fault) => fault.split(": ")[0]), [
      "LISTEN must contain {n} if PROCESSES is 2, such as unix:/run/gold/listen_{n}.sock",
      "OPERATIONS_LISTEN must contain {n} if PROCESSES is 2, such as unix:/run/gold/operations_listen_{n}.sock",
      "METRICS_LISTEN must contain {n} if PROCESSES is 2, such as 0.0.0.0:946{n}",
    ]);
    const numbered = { PROCESSES: "2", LISTEN, OPERATIONS_LISTEN };
    for (const [given, own] of [["off", "off"], ["0.0.0.0:946{n}", "0.0.0.0:9462"]] as const) {
      assertEquals(numberProcesses({ ...numbered, METRICS_LISTEN: given })[1]!.METRICS_LISTEN, own);
    }
  });
});

describe("restMs()", () => {
  it("returns one second after an exit, doubled by each failed start up to sixteen seconds", () => {
    assertEquals([0, 1, 2, 3, 4, 5, 1000].map(restMs), [1000, 2000, 4000, 8000, 16_000, 16_000, 16_000]);
  });
});
