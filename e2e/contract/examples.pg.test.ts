import { describe } from "node:test";
import { judgeExamples } from "./examples_trial.ts";
import { House } from "./house_trial.ts";

describe("every example of the OpenAPI document", () => judgeExamples(() => House.open()));
