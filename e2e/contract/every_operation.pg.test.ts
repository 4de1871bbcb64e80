import { describe } from "node:test";
import { judgeEveryOperation } from "./every_operation_fixture.ts";
import { Stack } from "./stack_fixture.ts";

describe("every operation, over mutual TLS", () => judgeEveryOperation(() => Stack.open()));
