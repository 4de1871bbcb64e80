import { describe } from "node:test";
import { tryDoctor } from "./doctor_fixture.ts";

describe("gold-partner doctor, through Envoy", () => tryDoctor("Envoy"));
