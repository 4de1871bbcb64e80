import { describe } from "node:test";
import { judgeEveryCode } from "./every_code_fixture.ts";
import { judgeEveryOperation } from "./every_operation_fixture.ts";
import { judgeExamples } from "./examples_fixture.ts";
import { Stack } from "./stack_fixture.ts";

const open = () => Stack.open({ envoy: true });

describe("every operation, through Envoy", () => judgeEveryOperation(open));
describe("every registered error code, through Envoy", () => judgeEveryCode(open));
describe("every example of the OpenAPI document, through Envoy", () => judgeExamples(open));
