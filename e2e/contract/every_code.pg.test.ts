import { describe } from "node:test";
import { judgeEveryCode } from "./every_code_trial.ts";
import { Stack } from "./house_trial.ts";

describe("every registered error code, over mutual TLS", () => judgeEveryCode(() => Stack.open()));
