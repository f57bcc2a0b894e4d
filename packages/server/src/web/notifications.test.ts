import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "../http/testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const quiet = { from: "22:00", until: "07:00", timeZone: "Europe/Berlin", pierce: "critical" };

async function visit(as: string | undefined, form?: Record<string, string>) {
  const response = await server.fetch("/notifications", {
    redirect: "manual",
    headers: {
      ...(as !== undefined && { cookie: `__Host-paraph=${as}` }),
      ...(form && { origin: server.http.url }),
    },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  return { status: response.status, location: response.headers.get("location"), html: await response.text() };
}

const readProof = (html: string) => /name="proof" value="([^"]+)"/.exec(html)?.[1] ?? "";

it("people read and replace their preferences over the API, and nobody else's", async () => {
  const put = (as: string, body: object) =>
    server.fetch("/v1/me/notifications", {
      method: "PUT",
      headers: { authorization: `Bearer key-${as}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await put("ana", { channels: [], quiet })).status).toBe(200);
  expect((await server.get("/v1/me/notifications", "ana")).body).toEqual({
    channels: [],
    quiet,
    available: [{ channel: "mail", address: "ana@example.com" }],
  });
  expect((await server.get("/v1/me/notifications", "bo")).body).not.toHaveProperty("quiet");
  expect((await server.get("/v1/me/notifications", "bot")).status).toBe(403);
  for (const wrong of [
    { quiet: { ...quiet, from: "24:00" } },
    { quiet: { ...quiet, timeZone: "Mars/Base" } },
    { quiet: { ...quiet, until: "22:00" } },
    { address: "eve@example.com" },
  ])
    expect((await put("ana", wrong)).status).toBe(422);
});

it("[TRUST 2, 22] the page needs a login and changes preferences only by its own form", async () => {
  expect(await visit(undefined)).toMatchObject({ status: 303, location: "/login?to=%2Fnotifications" });
  const { html } = await visit("bo");
  expect(html).toContain("bo@example.com");
  expect((await visit("bo", { proof: "x", ...quiet })).status).toBe(409);
  expect((await visit("bo", { proof: readProof((await visit("ana")).html), ...quiet })).status).toBe(409);
  expect(await visit("bo", { proof: readProof(html), "channel:mail": "on", ...quiet })).toMatchObject({
    status: 303,
    location: "/notifications?saved=1",
  });
  expect((await server.get("/v1/me/notifications", "bo")).body).toMatchObject({ quiet });
  const wrong = await visit("bo", { proof: readProof(html), from: "25:00", until: "07:00" });
  expect(wrong.status).toBe(422);
  expect(wrong.html).toContain("Not saved.");
});
