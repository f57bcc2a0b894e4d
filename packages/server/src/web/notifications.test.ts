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
    available: [
      { channel: "mail", address: "ana@example.com" },
      { channel: "push", devices: [] },
    ],
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
  const wrong = await visit("bo", {
    proof: readProof(html),
    from: "21:30",
    until: "06:15",
    timeZone: "Oslo",
  });
  expect(wrong.status).toBe(422);
  expect(wrong.html).toContain("“Time zone” must be the name of a time zone, such as Europe/Berlin.");
  for (const typed of ["21:30", "06:15", "Oslo"]) expect(wrong.html).toContain(`value="${typed}"`);
  expect((await server.get("/v1/me/notifications", "bo")).body).toMatchObject({ quiet });
  const half = await visit("bo", { proof: readProof(html), from: "21:30" });
  expect(half.html).toContain("“Until” must be a time of day and differ from “From”.");
});

it("the pages can be installed: the manifest is linked, and its icons have the stated sizes", async () => {
  expect((await visit("bo")).html).toContain('<link rel="manifest" href="/manifest.webmanifest">');
  const response = await server.fetch("/manifest.webmanifest");
  expect(response.headers.get("content-type")).toBe("application/manifest+json");
  const manifest = (await response.json()) as { icons: { src: string; sizes: string }[] };
  expect(manifest).toMatchObject({ start_url: "/approvals", display: "standalone" });
  const listed = manifest.icons.map(({ src, sizes }) => [src, sizes] as const);
  for (const [src, sizes] of [...listed, ["/icons/apple-touch-180.png", "180x180"] as const]) {
    const image = await server.fetch(src);
    const header = Buffer.from(await image.arrayBuffer());
    expect(image.headers.get("content-type")).toBe("image/png");
    expect(`${header.readUInt32BE(16)}x${header.readUInt32BE(20)}`).toBe(sizes);
  }
});

it("[TRUST 22] a script runs only on the page that turns on push, and only from this server", async () => {
  const policy = async (path: string) => {
    const { headers } = await server.fetch(path, { headers: { cookie: "__Host-paraph=bo" } });
    return headers.get("content-security-policy");
  };
  expect(await policy("/approvals")).not.toMatch(/script|worker/);
  expect(await policy("/notifications")).toMatch(
    /; script-src 'self'; connect-src 'self'; worker-src 'self'$/,
  );
});
