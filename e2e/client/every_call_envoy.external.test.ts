import { describe } from "node:test";
import { judgeEveryCall } from "./every_call_fixture.ts";

describe("GoldClient over mutual TLS through Envoy", () => judgeEveryCall("Envoy"));
