import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { misspeltSettings } from "./misspelt_settings.ts";

const SETTINGS = ["LANES", "LISTEN", "HA", "HEADS_FILE", "DATABASE_URL", "OPERATOR_KEYS"];

describe("misspeltSettings()", () => {
  const found = (variables: Readonly<Record<string, string>>) =>
    misspeltSettings(SETTINGS, variables).map((text) => text.replace(/^(\w+) is .* mean (\w+)\?$/, "$1 $2"));

  it("finds a missing, wrong, additional or swapped letter, and lower case", () => {
    for (const variable of ["LANE", "LANEX", "LANESS", "LNAES", "lanes", "Lane"]) {
      assertEquals(found({ [variable]: "3" }), [`${variable} LANES`]);
    }
    assertEquals(found({ HEAD_FILES: "off", DATABASE_URI: "x", OPERATORKEY: "y" }), [
      ...["DATABASE_URI DATABASE_URL", "HEAD_FILES HEADS_FILE", "OPERATORKEY OPERATOR_KEYS"],
    ]);
    assertEquals(misspeltSettings(SETTINGS, { LANE: "3" }), [
      "LANE is not a setting and has no effect. Did you mean LANES?",
    ]);
  });

  it("finds nothing in settings, in usual variables and in names that only begin like a setting", () => {
    const usual = {
      ...{ PATH: "", HOME: "", LANG: "", LINES: "24", COLUMNS: "", TERM: "", H: "", HAS: "" },
      ...{
        LISTEN_FDS: "",
        LISTEN_PID: "",
        MIGRATION_DATABASE_URL: "",
        SECOND_DATABASE_URL: "",
        GOLD_KEYS: "",
      },
    };
    assertEquals(found(usual), []);
    assertEquals(found({ LANES: "2", HEADS_FILE: "off" }), []);
  });

  it("finds nothing that resembles only a setting that is set", () => {
    assertEquals(found({ LANE: "3", LANES: "2" }), []);
  });
});
