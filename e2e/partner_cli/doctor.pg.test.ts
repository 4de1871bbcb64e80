import { describe } from "node:test";
import { tryDoctor } from "./doctor_fixture.ts";

describe("gold-partner doctor, through the development gateway", () => tryDoctor("gateway"));
