import { describe } from "node:test";
import { testDoctor } from "./doctor_fixture.ts";

describe("gold-partner doctor, through the development gateway", () => testDoctor("gateway"));
