import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Env } from "../context.ts";

/** [TRUST 22] `__Host-`: set by this very host over a safe connection, and sent to nobody else. */
const cookieOptions = { prefix: "host", secure: true, httpOnly: true, sameSite: "Lax", path: "/" } as const;
const sessionCookie = "paraph";
/** What a login under way must bring back: gone with the browser, or after a while. */
const loginCookie = "paraph-login";
const loginCookieSeconds = 600;

export function readSessionCookie(c: Context<Env>): string | undefined {
  return getCookie(c, sessionCookie, "host");
}

/** Without an age: it ends with the browser, or when the server says so. */
export function setSessionCookie(c: Context<Env>, value: string): void {
  setCookie(c, sessionCookie, value, cookieOptions);
}

export function deleteSessionCookie(c: Context<Env>): void {
  deleteCookie(c, sessionCookie, cookieOptions);
}

export function readLoginCookie(c: Context<Env>): string | undefined {
  return getCookie(c, loginCookie, "host");
}

export function setLoginCookie(c: Context<Env>, value: string): void {
  setCookie(c, loginCookie, value, { ...cookieOptions, maxAge: loginCookieSeconds });
}

export function deleteLoginCookie(c: Context<Env>): void {
  deleteCookie(c, loginCookie, cookieOptions);
}
