import { describe, it } from "node:test";
import { BODY_MAX_BYTES, hostBytes } from "@gold-partner/protocol";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { expectProblem } from "../../../testing/problem.ts";
import { type Sending, suiteService } from "../../../testing/service.ts";

const QUOTE = '{"side":"buy","gold_grams":1.5}';

describe("body: size, media type, syntax and shape", () => {
  const service = suiteService();

  const quote = (body: Sending["body"] | null, headers: Record<string, string | null> = {}) =>
    service.send("/v1/quotes", { ...(body === null ? {} : { body: body! }), headers });

  describe("the media type", () => {
    it("may be in any letter case, with charset utf-8 or no charset, and with other parameters", async () => {
      const accepted = [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        " application/json ; q=1 ; charset=utf-8",
      ];
      for (const type of accepted) {
        assertEquals((await quote(QUOTE, { "Content-Type": type })).status, 201, type);
      }
    });

    it("is refused if it is missing or not application/json, and the refusal says what arrived", async () => {
      const others = ["text/plain", "application/jsonx", "application/problem+json", "", "json"];
      const charsets = ["latin1", " = latin1", '"utf-8', "utf-16"].map((charset) =>
        `application/json; charset=${charset}`
      );
      charsets.push("application/json; charset = latin1", "application/json; charset*=latin1");
      for (const type of [...others, ...charsets, "application/json, application/json"]) {
        await expectProblem(quote(QUOTE, { "Content-Type": type }), "unsupported_media_type");
      }
      const bytes = hostBytes.utf8(QUOTE);
      const missing = await expectProblem(quote(bytes, { "Content-Type": null }), "unsupported_media_type");
      assertEquals(missing.detail, "Content-Type must be application/json; got none.");
      const long = await quote(QUOTE, { "Content-Type": "text/plain" + "x".repeat(1000) });
      const { detail } = await expectProblem(long, "unsupported_media_type");
      assertEquals(detail, `Content-Type must be application/json; got text/plain${"x".repeat(50)}….`);
    });

    it("is refused with another charset or with any Content-Encoding", async () => {
      for (const charset of ["utf-16", "iso-8859-1", "utf8", ""]) {
        const type = `application/json; charset=${charset}`;
        await expectProblem(quote(QUOTE, { "Content-Type": type }), "unsupported_media_type");
      }
      for (const encoding of ["gzip", "identity", ""]) {
        await expectProblem(quote(QUOTE, { "Content-Encoding": encoding }), "unsupported_media_type");
      }
    });
  });

  describe("the size", () => {
    const padded = (bytes: number) => QUOTE.padEnd(bytes, " ");
    const stream = (text: string) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < text.length; at += 10_000) {
            controller.enqueue(hostBytes.utf8(text.slice(at, at + 10_000)));
          }
          controller.close();
        },
      });

    it("may be 65,536 bytes, with or without Content-Length", async () => {
      const body = padded(BODY_MAX_BYTES);
      assertEquals((await quote(body, { "Content-Length": `${BODY_MAX_BYTES}` })).status, 201);
      assertEquals((await quote(stream(body))).status, 201);
    });

    it("may not be 65,537 bytes, with or without Content-Length", async () => {
      const body = padded(BODY_MAX_BYTES + 1);
      await expectProblem(quote(body, { "Content-Length": `${BODY_MAX_BYTES + 1}` }), "body_too_large");
      await expectProblem(quote(stream(body)), "body_too_large");
    });

    it("is checked while the body arrives, so that an endless body is refused at the limit", async () => {
      let sent = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 8192;
          controller.enqueue(new Uint8Array(8192));
        },
      });
      await expectProblem(quote(endless), "body_too_large");
      assert(sent < 3 * BODY_MAX_BYTES, `${sent} bytes were read from the stream`);
    });
  });

  describe("the syntax", () => {
    it("must be I-JSON, because two parsers could read another body differently", async () => {
      const refused: (string | Uint8Array)[] = [
        "",
        " ",
        "{",
        `${QUOTE}x`,
        `\ufeff${QUOTE}`,
        '{"side":"buy","side":"sell","gold_grams":1}',
        '{"side":"buy","gold_grams":1,"note":"\\ud800"}',
        '{"side":"buy","gold_grams":01}',
        '{"side":"buy","gold_grams":+1}',
        '{"side":"buy","gold_grams":NaN}',
        "{'side':'buy','gold_grams':1}",
        '{"side":"buy","gold_grams":1,}',
        "[".repeat(40) + "]".repeat(40),
        new Uint8Array([0x22, 0xff, 0x22]),
        new Uint8Array([0xff, 0xfe, 0x7b, 0x00]),
      ];
      for (const body of refused) {
        const problem = await expectProblem(quote(body), "invalid_request");
        assertStringIncludes(problem.detail, "The body is not the JSON that this API reads.", `${body}`);
      }
      await expectProblem(quote(null), "invalid_request");
    });
  });

  describe("the shape", () => {
    const places = async (body: string) =>
      ((await expectProblem(quote(body), "invalid_request")).errors ?? []).map((one) =>
        "pointer" in one ? one.pointer : one.name
      );

    it("is checked completely, and the refusal has a JSON pointer for every violation", async () => {
      assertEquals(await places('{"side":"hold","gold_grams":1}'), ["#/side"]);
      assertEquals(await places('{"side":"buy","gold_grams":"one"}'), ["#/gold_grams"]);
      assertEquals((await places('{"side":"hold","gold_grams":-1,"x/y":1,"a~b":2}')).sort(), [
        "#/a~0b",
        "#/gold_grams",
        "#/side",
        "#/x~1y",
      ]);
    });

    it("must be an object", async () => {
      for (const body of ["null", "[]", '"buy"', "1", "true"]) assertEquals(await places(body), ["#"], body);
    });

    it("must have either grams or an amount, not both", async () => {
      for (const body of ['{"side":"buy"}', '{"side":"buy","gold_grams":1,"amount_sar":1}']) {
        await expectProblem(quote(body), "invalid_request");
      }
    });

    it("refuses an invalid quantity, and accepts every JSON notation of a valid quantity", async () => {
      const quantities = [
        "0.00001",
        "0",
        "-0",
        "-1",
        "1e400",
        "1.00000000000000001",
        "null",
        '"1,5"',
        "1.5.0",
      ];
      for (const grams of quantities) {
        await expectProblem(quote(`{"side":"buy","gold_grams":${grams}}`), "invalid_request");
      }
      for (const grams of ["1.5", "1.50", "15e-1", "0.15E1", '"1.50"']) {
        const reply = await quote(`{"side":"buy","gold_grams":${grams}}`);
        assertEquals((await reply.json() as { gold_grams: number }).gold_grams, 1.5, grams);
      }
    });

    it("sets no maximum, because a quantity above the limit gets limit_exceeded", async () => {
      for (const grams of ["1e15", "99999999999", "1000000000000000000000000"]) {
        await expectProblem(quote(`{"side":"buy","gold_grams":${grams}}`), "limit_exceeded");
      }
    });
  });
});
