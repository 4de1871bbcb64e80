import { describe } from "node:test";
import { testExamples } from "./examples_fixture.ts";
import { Stack } from "./stack_fixture.ts";

describe("every example of the OpenAPI document", () => testExamples(() => Stack.open()));
