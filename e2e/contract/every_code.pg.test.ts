import { describe } from "node:test";
import { testEveryCode } from "./every_code_fixture.ts";
import { Stack } from "./stack_fixture.ts";

describe("every registered error code, over mutual TLS", () => testEveryCode(() => Stack.open()));
