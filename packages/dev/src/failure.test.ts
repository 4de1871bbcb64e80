import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { explainFailure } from "./failure.ts";

describe("explainFailure()", () => {
  const explain = (message: string) => explainFailure(new Error(message), "/srv/state");

  it("explains what to do about a full disk, for each form of the error", () => {
    for (
      const message of [
        "ENOSPC: no space left on device, write",
        "initdb failed (1): initdb: error: could not write to file: No space left on device",
        "could not extend file: Disk quota exceeded",
      ]
    ) assertStringIncludes(explain(message), "The disk that holds /srv/state is full. Free");
  });

  it("explains what to do if Postgres finds its files damaged", () => {
    const said =
      "Postgres does not start on /srv/state/postgres/cluster: 2026-11-20 10:00:00.1 UTC [7] FATAL:  " +
      "damaged\n2026-11-20 10:00:00.2 UTC [7] HINT:  initdb";
    assertMatch(explain(said), /cluster: FATAL: damaged HINT: initdb\. If its files .* --reset$/);
  });

  it("names the state folder in the advised commands", () => {
    const advice = "Start over: npm start -- --reset";
    const explain = (dir: string) => explainFailure(new Error(advice), dir);
    assertEquals(explain(".gold"), advice);
    assertEquals(
      explain("bank's $& state"),
      "Start over: npm start -- --state 'bank'\\''s $& state' --reset",
    );
  });

  it("returns any other message unchanged", () => {
    assertEquals(explain("Port 8443 is taken."), "Port 8443 is taken.");
  });
});
