import { describe } from "node:test";
import { judgeEveryCode } from "./every_code_trial.ts";
import { judgeEveryOperation } from "./every_operation_trial.ts";
import { judgeExamples } from "./examples_trial.ts";
import { Stack } from "./house_trial.ts";

const open = () => Stack.open({ envoy: true });

describe("every operation, through Envoy", () => judgeEveryOperation(open));
describe("every registered error code, through Envoy", () => judgeEveryCode(open));
describe("every example of the OpenAPI document, through Envoy", () => judgeExamples(open));
