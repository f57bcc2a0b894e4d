import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Env } from "../context.ts";

/** [TRUST 22] `__Host-`: set by this very host over a safe connection, and sent to nobody else. */
const options = { prefix: "host", secure: true, httpOnly: true, sameSite: "Lax", path: "/" } as const;
const session = "paraph";
/** What a login under way must bring back: gone with the browser, or after a while. */
const memo = "paraph-login";
const memoSeconds = 600;

export function sessionIn(c: Context<Env>): string | undefined {
  return getCookie(c, session, "host");
}

/** Without an age: it ends with the browser, or when the server says so. */
export function keepSession(c: Context<Env>, value: string): void {
  setCookie(c, session, value, options);
}

export function forgetSession(c: Context<Env>): void {
  deleteCookie(c, session, options);
}

export function memoIn(c: Context<Env>): string | undefined {
  return getCookie(c, memo, "host");
}

export function keepMemo(c: Context<Env>, value: string): void {
  setCookie(c, memo, value, { ...options, maxAge: memoSeconds });
}

export function forgetMemo(c: Context<Env>): void {
  deleteCookie(c, memo, options);
}
