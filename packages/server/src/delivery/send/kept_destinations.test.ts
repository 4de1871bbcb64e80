import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { type Destination, EndpointError } from "../../http/outbound/destination.ts";
import { keepDestinations } from "./kept_destinations.ts";

const destination: Destination = {
  ...{ key: "k", hostname: "hooks.example", addresses: ["8.8.8.8"], port: 443, host: "hooks.example" },
  path: "/",
  secure: true,
};

function fixture() {
  const clock = { ms: 0 };
  const looked: string[] = [];
  let answer = () => Promise.resolve(destination);
  const find = keepDestinations((url) => (looked.push(url), answer()), () => clock.ms);
  return { clock, looked, find, says: (next: typeof answer) => void (answer = next) };
}

describe("keepDestinations()", () => {
  it("repeats the lookup after ten seconds, or after one second if it failed", async () => {
    const { clock, looked, find, says } = fixture();
    await find("a");
    clock.ms = 9999;
    await find("a");
    assertEquals(looked.length, 1);
    clock.ms = 10_000;
    says(() => Promise.reject(new EndpointError("dns_failed", "")));
    await assertRejects(() => find("a"), EndpointError);
    clock.ms = 10_999;
    await assertRejects(() => find("a"), EndpointError);
    assertEquals(looked.length, 2);
    clock.ms = 11_000;
    says(() => Promise.resolve(destination));
    assertEquals(await find("a"), destination);
  });

  it("shares one lookup between concurrent calls, and counts the age from the lookup's end", async () => {
    const { clock, looked, find, says } = fixture();
    let endLookup: (found: Destination) => void = () => {};
    says(() => new Promise((resolve) => endLookup = resolve));
    const asking = Promise.all([find("a"), find("a")]);
    clock.ms = 20_000;
    const late = find("a");
    endLookup(destination);
    assertEquals(await asking, [destination, destination]);
    await late;
    assertEquals(looked, ["a"]);
    clock.ms = 29_999;
    await find("a");
    assertEquals(looked, ["a"]);
  });

  it("remembers only the newest 4,096 endpoints", async () => {
    const { looked, find } = fixture();
    for (let index = 0; index <= 4096; index++) await find(`${index}`);
    looked.length = 0;
    await find("4096");
    await find("1");
    assertEquals(looked, []);
    await find("0");
    assertEquals(looked, ["0"]);
  });
});
