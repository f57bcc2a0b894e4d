import { defineCapability, type Principal } from "@paraph/core";
import { push } from "@paraph/server";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "./support/eventually.ts";
import { PushService } from "./support/push-service.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";
import { hasBrowser, launchBrowser } from "./support/web/browser.ts";
import type { PlainBrowser } from "./support/web/plain-browser.ts";
import { pressEverything } from "./support/web/press-everything.ts";

const tenant = "acme";
const person = (id: string, ...groups: string[]): Principal => ({ tenant, id, kind: "person", groups });

const refund = defineCapability({
  name: "billing.refund",
  version: 1,
  summary: "Refund a customer",
  effect: "write",
  idempotency: "natural",
  sensitive: ["card"],
  input: z.object({ customer: z.string(), card: z.string() }),
  output: z.object({}),
  headline: ({ customer, card }) => `Refund ${customer} ${card}`,
  apply: async () => ({}),
});

const service = await new PushService().start();
const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: [refund],
    rules: [
      { capability: "billing.refund", ask: "finance", urgency: "high", sentence: "Refunds need finance." },
    ],
    channels: [push({ contact: "mailto:ops@example.com", secret: "vapid", allowLoopback: true })],
  },
  [person("ana", "finance"), person("bo", "finance"), { tenant, id: "bot", kind: "agent" }],
  { "deployment/vapid": Buffer.alloc(32, 7).toString("base64url") },
);
afterAll(async () => {
  await paraph.stop();
  await service.stop();
});

type Fields = Readonly<Record<string, string>>;
const android =
  "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36";

async function readProof(browser: PlainBrowser): Promise<string> {
  const { text } = await browser.open(`${paraph.url}/notifications`);
  return /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? "";
}

async function post(browser: PlainBrowser, path: string, fields: Fields, origin = paraph.url) {
  return browser.fetch(`${paraph.url}/notifications/${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin, "user-agent": android },
  });
}

const listDevices = async (as: string) =>
  (await paraph.request(as, "GET", "/v1/me/notifications")).body.available[0].devices;

async function ask(customer: string) {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "billing.refund",
    input: { customer, card: "canary-4242" },
  });
  const approval = (await paraph.request("ana", "GET", `/v1/approvals/${body.approval.id}`)).body;
  return { call: body.call as string, id: body.approval.id as string, approval };
}

const readNotice = async (call: string, recipient: string) =>
  (
    await paraph.database.query(
      "select state, code, provider_id from paraph.notice where call = $1 and recipient = $2",
      [call, recipient],
    )
  )[0];

it("[TRUST 16] a device gets the request and then the outcome under one tag, encrypted, without a sensitive field", async () => {
  const ana = await paraph.browser(tenant, "ana");
  const added = await post(ana, "devices", { proof: await readProof(ana), ...service.subscribe("phone") });
  expect([added.status, added.headers.get("location")]).toEqual([303, "/notifications?saved=1#devices"]);
  const [device] = await listDevices("ana");
  expect(device).toMatchObject({ name: "Chrome on Android" });
  expect(device).not.toHaveProperty("usedAt");

  const { call, id, approval } = await ask("c-1");
  const [request] = await service.waitForCount(1, "phone");
  const expiresAt = Date.parse(approval.expiresAt);
  expect(request!.payload).toEqual({
    kind: "request",
    headline: approval.headline,
    requester: "bot",
    expiresAt,
    path: `/approvals/${id}`,
    tag: expect.stringMatching(/^[\w-]{32}$/),
  });
  expect(request!.payload.headline).toContain("Refund c-1");
  expect(JSON.stringify(request!.payload)).not.toContain("canary");
  expect(request!.headers).toMatchObject({
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    urgency: "high",
    topic: request!.payload.tag,
  });
  const left = (expiresAt - Date.now()) / 1_000;
  expect(Math.abs(Number(request!.headers.ttl) - left)).toBeLessThan(120);
  expect(request!.claims).toMatchObject({ aud: service.url, sub: "mailto:ops@example.com" });
  expect(request!.claims.exp - Date.now() / 1_000).toBeLessThan(86_400);
  await eventually(async () =>
    expect(await readNotice(call, "ana")).toMatchObject({ state: "sent", provider_id: device.id }),
  );
  expect((await listDevices("ana"))[0]).toHaveProperty("usedAt");

  await paraph.request("bo", "POST", `/v1/approvals/${id}/decision`, {
    decision: "deny",
    digest: approval.digest,
  });
  const [, outcome] = await service.waitForCount(2, "phone");
  expect(outcome!.payload).toMatchObject({
    kind: "outcome",
    text: "Denied by bo. The call did not run.",
    tag: request!.payload.tag,
  });
  expect(outcome!.headers.topic).toBe(request!.headers.topic);
});

it.runIf(hasBrowser)(
  "[TRUST 2] a browser without a login that opens the pages of notices and presses buttons decides nothing",
  async () => {
    const { id } = await ask("c-robot");
    const received = await eventually(() => {
      const found = service.received.filter(({ payload }) => payload.path === `/approvals/${id}`);
      if (found.length === 0) throw new Error("no notice yet");
      return found;
    });
    const readWrites = async () => [
      (await listDevices("ana")).map(({ id: device }: { id: string }) => device),
      await paraph.database.query(
        "select (select count(*) from paraph.vote) as votes, (select count(*) from paraph.call) as calls",
      ),
    ];
    const before = await readWrites();
    const browser = await launchBrowser();
    const pages = received.map(({ payload }) => new URL(payload.path, paraph.url).href);
    const settings = `${paraph.url}/notifications`;
    const paths = await pressEverything(await browser.newContext(), [...pages, settings]).finally(() =>
      browser.close(),
    );
    expect(await readWrites()).toEqual(before);
    expect((await paraph.request("ana", "GET", `/v1/approvals/${id}`)).body.status).toBe("open");
    expect(paths).toContain("/login");
  },
);

it("a device that its push service no longer knows is deleted, and the notice goes to the others", async () => {
  const bo = await paraph.browser(tenant, "bo");
  const proof = await readProof(bo);
  for (const name of ["gone", "laptop"]) await post(bo, "devices", { proof, ...service.subscribe(name) });
  service.answers.set("gone", 410);
  const first = await ask("c-2");
  await service.waitForCount(1, "laptop");
  await eventually(async () => expect(await readNotice(first.call, "bo")).toMatchObject({ state: "sent" }));
  expect(await listDevices("bo")).toHaveLength(1);

  service.answers.set("laptop", 404);
  const second = await ask("c-3");
  await eventually(async () =>
    expect(await readNotice(second.call, "bo")).toMatchObject({ state: "given-up", code: "push-no-device" }),
  );
  expect(await listDevices("bo")).toEqual([]);
  const third = await ask("c-4");
  await eventually(async () => expect(await readNotice(third.call, "ana")).toMatchObject({ state: "sent" }));
  expect(await readNotice(third.call, "bo")).toBeUndefined();
});

it("[TRUST 2, 17, 22] only the person's own page adds a device, at most ten, and none at a private address", async () => {
  const bo = await paraph.browser(tenant, "bo");
  const ana = await paraph.browser(tenant, "ana");
  const proof = await readProof(bo);
  const fields = { proof, ...service.subscribe("b0") };
  const anonymous = await fetch(`${paraph.url}/notifications/devices`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin: paraph.url },
    redirect: "manual",
  });
  expect(anonymous.headers.get("location")).toBe("/login?to=%2Fnotifications");
  expect((await post(bo, "devices", fields, "https://evil.example")).status).toBe(403);
  for (const [wrong, status] of [
    [{ proof: "x" }, 409],
    [{ proof: await readProof(ana) }, 409],
    [{ endpoint: "http://push.example.com/1" }, 422],
    [{ endpoint: "https://10.0.0.1/1" }, 422],
    [{ endpoint: "https://[::1]/1" }, 422],
    [{ endpoint: "https://169.254.169.254/1" }, 422],
    [{ endpoint: "https://user:pass@push.example.com/1" }, 422],
    [{ endpoint: "javascript:alert(1)" }, 422],
    [{ p256dh: Buffer.alloc(65, 4).toString("base64url") }, 422],
    [{ auth: "short" }, 422],
  ] as const)
    expect([wrong, (await post(bo, "devices", { ...fields, ...wrong })).status]).toEqual([wrong, status]);
  expect(await listDevices("bo")).toEqual([]);

  const all = Array.from({ length: 11 }, (_, index) => ({ proof, ...service.subscribe(`b${index}`) }));
  const answers = await Promise.all(all.map((one) => post(bo, "devices", one)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(303), 422]);
  const devices = await listDevices("bo");
  expect(devices).toHaveLength(10);

  // A browser that another person signed in to belongs to that person from now on.
  const shared = all.find((_, index) => answers[index]!.status === 303)!;
  const anasProof = await readProof(ana);
  await post(ana, "devices", { ...shared, proof: anasProof });
  expect(await listDevices("bo")).toHaveLength(9);
  expect(await listDevices("ana")).toHaveLength(2);

  const own = (await listDevices("bo"))[0].id;
  await post(ana, "devices/remove", { proof: anasProof, device: own });
  expect(await listDevices("bo")).toHaveLength(9);
  await post(bo, "devices/remove", { proof, device: own });
  expect(await listDevices("bo")).toHaveLength(8);
});
