import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Env } from "../context.ts";

/**
 * [TRUST 22] With the prefix `__Host-`, only this host can set the cookie, and only over a secure connection. The
 * browser sends the cookie to no other host. `paraph dev --host` allows plain HTTP in a network, where browsers accept
 * no secure cookie.
 */
const toCookieOptions = (c: Context<Env>) =>
  ({
    ...(c.get("allowsPlainLogin") ? { secure: false } : ({ prefix: "host", secure: true } as const)),
    httpOnly: true,
    sameSite: "Lax",
    path: "/",
  }) as const;

const readCookie = (c: Context<Env>, name: string) =>
  c.get("allowsPlainLogin") ? getCookie(c, name) : getCookie(c, name, "host");

const sessionCookie = "paraph";
/**
 * The cookie that holds the memo of a login in progress. It expires at the end of the browser session or after ten
 * minutes.
 */
const loginCookie = "paraph-login";
const loginCookieSeconds = 600;

export function readSessionCookie(c: Context<Env>): string | undefined {
  return readCookie(c, sessionCookie);
}

/**
 * Sets the session cookie without a maximum age. It ends with the browser session, or when the server ends the session.
 */
export function setSessionCookie(c: Context<Env>, value: string): void {
  setCookie(c, sessionCookie, value, toCookieOptions(c));
}

export function deleteSessionCookie(c: Context<Env>): void {
  deleteCookie(c, sessionCookie, toCookieOptions(c));
}

export function readLoginCookie(c: Context<Env>): string | undefined {
  return readCookie(c, loginCookie);
}

export function setLoginCookie(c: Context<Env>, value: string): void {
  setCookie(c, loginCookie, value, { ...toCookieOptions(c), maxAge: loginCookieSeconds });
}

export function deleteLoginCookie(c: Context<Env>): void {
  deleteCookie(c, loginCookie, toCookieOptions(c));
}
