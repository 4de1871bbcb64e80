import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, it } from "node:test";
import { assertEquals, assertLessOrEqual, assertStringIncludes } from "@std/assert";
import { readToEnd } from "../../../../tools/testing/raw_http.ts";
import { type Fixture, startFixture } from "./fixture.ts";

const MEBIBYTE = 1024 * 1024;
const HEAD = "HTTP/1.1\r\nHost: localhost\r\n";

describe("startGateway(), back-pressure", () => {
  let fixture: Fixture | undefined;
  afterEach(() => fixture?.stop());

  it("answers the next request on a connection after responses of 1 byte to several MiB", async () => {
    const { open } = fixture = await startFixture(
      (request, response) => {
        const [, form, bytes] = request.url!.split("/");
        const content = Buffer.alloc(Number(bytes), "x");
        if (form === "whole") return void response.end(content);
        response.write(content);
        response.end();
      },
    );
    for (const bytes of [1, 65_536, 460_984, 464_170, 700_000, 3 * MEBIBYTE]) {
      for (const form of ["whole", "chunked"]) {
        const socket = await open();
        socket.write(`GET /${form}/${bytes} ${HEAD}\r\n`);
        socket.write(`GET /whole/5 ${HEAD}Connection: close\r\n\r\n`);
        const text = await readToEnd(socket);
        assertEquals([text.split("x").length - 1, text.endsWith("xxxxx")], [bytes + 5, true], form);
      }
    }
  });

  it("serves other clients while a client or the service does not read, and buffers little", async () => {
    let written = 0;
    const { open } = fixture = await startFixture((request, response) => {
      if (request.url === "/ping") return void response.end("pong");
      if (request.method === "POST") return; // Never reads.
      const write = (): void => {
        while (written < 256 * MEBIBYTE) {
          written += MEBIBYTE;
          if (!response.write(Buffer.alloc(MEBIBYTE))) return void response.once("drain", write);
        }
        response.end();
      };
      write();
    }, { timeouts: { drainMs: 100 } });
    const idle = await open();
    idle.pause();
    idle.write(`GET / ${HEAD}\r\n`);
    const busy = await open();
    busy.write(`POST / ${HEAD}Content-Length: ${256 * MEBIBYTE}\r\n\r\n`);
    let sent = 0;
    const send = (): void => {
      while (sent < 256 * MEBIBYTE) {
        sent += MEBIBYTE;
        if (!busy.write(Buffer.alloc(MEBIBYTE))) return void busy.once("drain", send);
      }
    };
    send();
    await sleep(700);
    const other = await open();
    other.write(`GET /ping ${HEAD}Connection: close\r\n\r\n`);
    assertStringIncludes(await readToEnd(other), "pong");
    idle.destroy();
    busy.destroy();
    // Under Deno only the time limits bound the transfer: Deno's TLS sockets keep reading while they are
    // paused, in the gateway and in a client.
    if ("Deno" in globalThis) return;
    assertLessOrEqual(written, 32 * MEBIBYTE);
    assertLessOrEqual(sent, 32 * MEBIBYTE);
  });
});
