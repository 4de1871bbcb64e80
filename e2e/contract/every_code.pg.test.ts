import { describe } from "node:test";
import { judgeEveryCode } from "./every_code_fixture.ts";
import { Stack } from "./stack_fixture.ts";

describe("every registered error code, over mutual TLS", () => judgeEveryCode(() => Stack.open()));
