import { expect, it } from "vitest";
import { createRouter } from "../context.ts";
import { readSessionCookie, setSessionCookie } from "./session-cookie.ts";

function createCookieApp(allowsPlainLogin: boolean) {
  const app = createRouter();
  app.use((c, next) => {
    c.set("allowsPlainLogin", allowsPlainLogin);
    return next();
  });
  app.get("/set", (c) => {
    setSessionCookie(c, "value");
    return c.body(null);
  });
  app.get("/read", (c) => c.text(readSessionCookie(c) ?? "none"));
  const read = async (cookie: string) => (await app.request("/read", { headers: { cookie } })).text();
  const set = async () => (await app.request("/set")).headers.get("set-cookie");
  return { read, set };
}

it("[TRUST 22] the session's cookie is secure and belongs to one host, and no other cookie is read", async () => {
  const { read, set } = createCookieApp(false);
  expect(await set()).toBe("__Host-paraph=value; Path=/; HttpOnly; Secure; SameSite=Lax");
  expect([await read("__Host-paraph=value"), await read("paraph=value")]).toEqual(["value", "none"]);
});

it("with `paraph dev --host`, a browser on a phone gets a cookie that it accepts over plain HTTP", async () => {
  const { read, set } = createCookieApp(true);
  expect(await set()).toBe("paraph=value; Path=/; HttpOnly; SameSite=Lax");
  expect(await read("paraph=value")).toBe("value");
});
