import { describe } from "node:test";
import { testEveryCode } from "./every_code_fixture.ts";
import { testEveryOperation } from "./every_operation_fixture.ts";
import { testExamples } from "./examples_fixture.ts";
import { Stack } from "./stack_fixture.ts";

const open = () => Stack.open({ envoy: true });

describe("every operation, through Envoy", () => testEveryOperation(open));
describe("every registered error code, through Envoy", () => testEveryCode(open));
describe("every example of the OpenAPI document, through Envoy", () => testExamples(open));
