import { describe } from "node:test";
import { judgeEveryOperation } from "./every_operation_trial.ts";
import { Stack } from "./house_trial.ts";

describe("every operation, over mutual TLS", () => judgeEveryOperation(() => Stack.open()));
