import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { FORBIDDEN_ADDRESSES, FORBIDDEN_BLOCKS, PUBLIC_ADDRESSES } from "./forbidden_fixture.ts";
import { whyForbidden } from "./forbidden_address.ts";

describe("whyForbidden()", () => {
  it("returns a reason for every listed address of the blocks that are not public", () => {
    for (const [name, ...addresses] of FORBIDDEN_BLOCKS) {
      for (const address of addresses) {
        const why = whyForbidden(address, false);
        assert(typeof why === "string" && why.length > 2, `${name}: ${address}`);
      }
    }
  });

  it("allows public addresses, most of which are directly before or after such a block", () => {
    for (const address of PUBLIC_ADDRESSES) assertEquals(whyForbidden(address, false), undefined, address);
  });

  it("allows loopback addresses, but no other forbidden address, if loopback receivers are allowed", () => {
    const isLoopbackAddress = (address: string) => /^127\.|^::1$/.test(address);
    const allowed = FORBIDDEN_ADDRESSES.filter((address) => whyForbidden(address, true) === undefined);
    assertEquals(allowed, FORBIDDEN_ADDRESSES.filter(isLoopbackAddress));
    assertEquals(allowed, ["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"]);
  });

  it("forbids text that is not an IP address or that names an interface", () => {
    const texts = [
      ...["", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "017700000001", "8.8.8.8 ", "8.8.8.8:443"],
      ...["08.8.8.8", "2001:4860:4860::8888%eth0", "fe80::1%1", "[2001:4860:4860::8888]", "8.8.8.8/32"],
    ];
    for (const text of texts) {
      assertEquals(whyForbidden(text, true), "not an IP address", text);
    }
  });
});
