import { describe } from "node:test";
import { judgeEveryOperation } from "./every_operation_trial.ts";
import { House } from "./house_trial.ts";

describe("every operation, over mutual TLS", () => judgeEveryOperation(() => House.open()));
