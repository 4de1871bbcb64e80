import { describe } from "node:test";
import { testEveryCall } from "./every_call_fixture.ts";

describe("GoldClient over mutual TLS through the gateway", () => testEveryCall("gateway"));
