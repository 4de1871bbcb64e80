import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ID_PREFIX, idForm, idOfUuid, isId, newId, REQUEST_ID_FORM, uuidOfId } from "./id.ts";

const bytes = (fill: number) => (length: number) => new Uint8Array(length).fill(fill);
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

describe("newId()", () => {
  it("makes an id of the prefix and a UUIDv7 with time and random bits", () => {
    assertEquals(newId("qt_", 0x0189_0a5d_ac96, bytes(0xff)), "qt_01890a5d-ac96-7fff-bfff-ffffffffffff");
    assertEquals(newId("ord_", 0, bytes(0)), "ord_00000000-0000-7000-8000-000000000000");
    const counted = (length: number) => Uint8Array.from({ length }, (_, index) => 0x11 * (index + 1));
    assertEquals(newId("wd_", 2 ** 48 - 1, counted), "wd_ffffffff-ffff-7122-b344-5566778899aa");
  });

  it("uses each random bit that a UUIDv7 has", () => {
    const zero = newId("evt_", 0, bytes(0));
    const seen = new Set<string>();
    for (let bit = 0; bit < 80; bit++) {
      seen.add(
        newId(
          "evt_",
          0,
          (n) => Uint8Array.from({ length: n }, (_, i) => (bit >> 3) === i ? 1 << (bit & 7) : 0),
        ),
      );
    }
    seen.delete(zero);
    assertEquals(seen.size, 74);
  });

  it("makes ids that sort by their time and do not repeat", () => {
    const made = Array.from({ length: 1000 }, (_, i) => newId("evt_", 1_700_000_000_000 + i, random));
    assertEquals(made.toSorted(), made);
    assertEquals(new Set(Array.from({ length: 1000 }, () => newId("evt_", 1, random))).size, 1000);
  });

  it("rejects an invalid time and a random source that returns too few bytes", () => {
    for (const ms of [-1, 1.5, NaN, 2 ** 48]) {
      assertThrows(() => newId("qt_", ms, random), RangeError, "not a valid time");
    }
    assertThrows(() => newId("qt_", 1, () => new Uint8Array(9)), RangeError, "9 bytes");
  });
});

describe("isId()", () => {
  const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";

  it("accepts the ids that newId() makes, each only with its own prefix", () => {
    for (const prefix of Object.values(ID_PREFIX)) {
      const id = newId(prefix, 1_700_000_000_000, random);
      assert(isId(prefix, id));
      assertMatch(id, idForm(prefix));
      for (const other of Object.values(ID_PREFIX)) assertEquals(isId(other, id), other === prefix);
    }
  });

  it("refuses any other spelling", () => {
    const others = [
      "",
      "qt_",
      uuid,
      `QT_${uuid}`,
      `qt_${uuid.toUpperCase()}`,
      `qt_${uuid.replaceAll("-", "")}`,
      `qt_{${uuid}}`,
      ` qt_${uuid}`,
      `qt_${uuid}\n`,
      `qt_${uuid}0`,
      `qt_${uuid.replace("-774b", "-474b")}`,
      `qt_${uuid.replace("-bcce", "-ccce")}`,
      `qt_${uuid.replace("0", "g")}`,
    ];
    for (const text of others) {
      assertEquals(isId("qt_", text), false, text);
      assertEquals(uuidOfId("qt_", text), undefined, text);
      assertEquals(idForm("qt_").test(text), false, text);
    }
  });

  it("accepts a random UUID only in a request id, because the proxy makes such ids", () => {
    const random = uuid.replace("-774b", "-474b");
    for (const one of [uuid, random]) assertMatch(`req_${one}`, REQUEST_ID_FORM);
    for (const text of [`req_${uuid.replace("-774b", "-174b")}`, `qt_${random}`, `req_${random}0`]) {
      assertEquals(REQUEST_ID_FORM.test(text), false, text);
    }
  });

  it("converts between the id and the uuid of a database column", () => {
    assertEquals(uuidOfId("qt_", `qt_${uuid}`), uuid);
    assertEquals(idOfUuid("qt_", uuid), `qt_${uuid}`);
    assertThrows(() => idOfUuid("qt_", uuid.toUpperCase()), RangeError, "lower-case UUIDv7");
  });
});
