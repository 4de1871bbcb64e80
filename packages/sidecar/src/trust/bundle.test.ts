import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Authority } from "./authority.ts";
import { composeBundle } from "./bundle.ts";
import { ONE_CERTIFICATE, ONE_LIST, OTHER_CERTIFICATE, OTHER_LIST } from "./samples_fixture.ts";

const NOW_MS = Date.parse("2027-01-01T00:00:00Z");
const OTHER_ENDS_MS = Date.parse("2027-11-20T16:16:31Z");
const ONE_NAME = "4ba6eb76524c4bddc5e583a8567915f9e8b90a30491070241a61b4834e418a87";
const OTHER_NAME = "b882706aa56a3e1e0ccc2e5fe3421c1dc82c6e8d331b9423ec6e4562f3eabd85";

const listEndsMs = NOW_MS + 86_400_000;
const one: Authority = { certificate: ONE_CERTIFICATE, revocationList: ONE_LIST, listEndsMs };
const other: Authority = { certificate: OTHER_CERTIFICATE, revocationList: OTHER_LIST, listEndsMs };
const NO_LIST = { event: "the proxy gets no revocation list at all" };

describe("composeBundle()", () => {
  it("returns every authority and every list without complaints", () => {
    assertEquals(composeBundle([one, other], NOW_MS), {
      trust: { certificates: [ONE_CERTIFICATE, OTHER_CERTIFICATE], revocationLists: [ONE_LIST, OTHER_LIST] },
      complaints: [],
    });
  });

  it("converts each stored PEM to the same format", () => {
    const stored = (pem: string) => `\n${pem.replaceAll("\n", "\r\n").trim()}`;
    const { trust, complaints } = composeBundle(
      [{ ...one, certificate: stored(ONE_CERTIFICATE), revocationList: stored(ONE_LIST) }],
      NOW_MS,
    );
    assertEquals([trust, complaints], [{
      certificates: [ONE_CERTIFICATE],
      revocationLists: [ONE_LIST],
    }, []]);
  });

  it("omits an authority and its list from five seconds before the authority expires", () => {
    const at = (nowMs: number) =>
      composeBundle([one, other].map((each) => ({ ...each, listEndsMs: nowMs + 60_000 })), nowMs);
    assertEquals(at(OTHER_ENDS_MS - 5001).trust.certificates.length, 2);
    const { trust, complaints } = at(OTHER_ENDS_MS - 5000);
    assertEquals(trust, { certificates: [ONE_CERTIFICATE], revocationLists: [ONE_LIST] });
    assertEquals(complaints, [{ event: "an authority has expired", authority: OTHER_NAME }]);
  });

  it("returns no list at all if the list of one authority is missing, overdue or broken", () => {
    const wrong: [Partial<Authority>, string][] = [
      [{ revocationList: undefined }, "an authority has no revocation list"],
      [{ listEndsMs: NOW_MS + 5000 }, "an authority's revocation list is overdue"],
      [{ revocationList: "" }, "an authority's revocation list cannot be read"],
      [{ revocationList: OTHER_CERTIFICATE }, "an authority's revocation list cannot be read"],
      [{ revocationList: ONE_LIST + ONE_LIST }, "an authority's revocation list cannot be read"],
      [{ revocationList: ONE_LIST.replace("M", "\u200b") }, "an authority's revocation list cannot be read"],
    ];
    for (const [change, event] of wrong) {
      const { trust, complaints } = composeBundle([{ ...one, ...change }, other], NOW_MS);
      assertEquals(
        trust,
        { certificates: [ONE_CERTIFICATE, OTHER_CERTIFICATE], revocationLists: [] },
        event,
      );
      assertEquals(complaints, [{ event, authority: ONE_NAME }, NO_LIST]);
    }
  });

  it("omits a malformed certificate and keeps the others", () => {
    for (const certificate of ["", "garbage", ONE_LIST, ONE_CERTIFICATE.replace("MIIB", "AAAA")]) {
      const { trust, complaints } = composeBundle([{ ...one, certificate }, other], NOW_MS);
      assertEquals(trust, { certificates: [OTHER_CERTIFICATE], revocationLists: [OTHER_LIST] });
      assertEquals(complaints, [{ event: "an authority's certificate cannot be read" }]);
    }
  });

  it("uses only the first certificate of a text with several", () => {
    const certificate = ONE_CERTIFICATE + OTHER_CERTIFICATE;
    assertEquals(composeBundle([{ ...one, certificate }], NOW_MS).trust.certificates, [ONE_CERTIFICATE]);
  });
});
