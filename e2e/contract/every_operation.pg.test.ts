import { describe } from "node:test";
import { testEveryOperation } from "./every_operation_fixture.ts";
import { Stack } from "./stack_fixture.ts";

describe("every operation, over mutual TLS", () => testEveryOperation(() => Stack.open()));
