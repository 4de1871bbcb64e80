import { describe } from "node:test";
import { judgeExamples } from "./examples_trial.ts";
import { Stack } from "./house_trial.ts";

describe("every example of the OpenAPI document", () => judgeExamples(() => Stack.open()));
