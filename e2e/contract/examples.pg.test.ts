import { describe } from "node:test";
import { judgeExamples } from "./examples_fixture.ts";
import { Stack } from "./stack_fixture.ts";

describe("every example of the OpenAPI document", () => judgeExamples(() => Stack.open()));
