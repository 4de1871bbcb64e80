import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { HttpBindings } from "@hono/node-server";
import type { Access } from "./access.ts";
import { TEXT } from "./texts.ts";

/** The names of this machine. A page of another name that resolves to it is refused (DNS rebinding). */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?$/;
const COOKIE = "gold_console";

/** The variables of a request. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    /** Scripts of the page carry it. Markup that somebody smuggled into a text cannot know it. */
    nonce: string;
  };
}

/**
 * Lets only the person's own browser through, and only from pages of the console itself. Everything is below `base`,
 * which is secret: cookies ignore ports, so a browser sends them to a server of another user at another port, but
 * only for a path that begins with theirs.
 */
export function guard(access: Access, base: string, newNonce: () => string): MiddlewareHandler<Env> {
  return async (c, next) => {
    const nonce = newNonce();
    c.set("nonce", nonce);
    const refusal = whyRefused(c, access, base);
    if (refusal === undefined) await next();
    else c.res = c.text(refusal, 403);
    secure(c.res.headers, nonce);
  };
}

function whyRefused(c: Context<Env>, access: Access, base: string): string | undefined {
  const { req } = c;
  const host = req.header("host") ?? "";
  if (!LOOPBACK.test(host)) return TEXT.otherHost;
  // Browsers send the origin with every form. Another site, or another port, has another one.
  if (req.method !== "GET" && req.header("origin") !== `http://${host}`) return TEXT.otherSite;
  if (!req.path.startsWith(base) && req.method === "GET") return undefined;
  return access.knows(getCookie(c, COOKIE)) ? undefined : TEXT.noSession;
}

export const giveCookie = (c: Context, path: string, value: string): void =>
  setCookie(c, COOKIE, value, { path, httpOnly: true, sameSite: "Strict" });

function secure(headers: Headers, nonce: string): void {
  headers.set(
    "Content-Security-Policy",
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self'; img-src 'self'; connect-src 'self'; ` +
      "form-action 'self'; base-uri 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
      "trusted-types htmx",
  );
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  // With "no-referrer", browsers send the origin "null" with a form.
  headers.set("Referrer-Policy", "same-origin");
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}
