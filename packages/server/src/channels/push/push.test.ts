import { afterAll, expect, it } from "vitest";
import { PushService } from "../../../../../test/support/push-service.ts";
import type { PushDeviceStore } from "../../postgres/index.ts";
import type { ChannelMessage, Delivery } from "../channel.ts";
import { push } from "./push.ts";
import { readVapidKeys } from "./vapid.ts";

const service = await new PushService().start();
afterAll(() => service.stop());

const options = { contact: "mailto:ops@example.com", secret: "vapid" };
const secret = Buffer.alloc(32, 7).toString("base64url");
const links = { page: "https://paraph.example.com/approvals", preferences: "https://paraph.example.com/n" };
const message: ChannelMessage = {
  id: "summary_1",
  tenant: "acme",
  address: "ana",
  content: { kind: "summary", waiting: 3, ended: 1, links },
};

/** Sends a summary to these endpoints of one person. */
async function tell(endpoints: readonly string[], more: object = {}, key = secret): Promise<Delivery> {
  const keys = service.subscribe("phone");
  const devices = {
    listSubscriptions: async () => endpoints.map((endpoint) => ({ ...keys, id: endpoint, endpoint })),
    remove: async () => {},
    markUsed: async () => {},
  } as unknown as PushDeviceStore;
  const channel = push({ ...options, ...more }).open({ credential: async () => key, folder: "/", devices });
  const delivery = await channel.tell(message, AbortSignal.timeout(60_000));
  await channel.close();
  return delivery;
}

it("sends a summary under a tag and a topic of its own", async () => {
  expect(await tell([`${service.url}/phone`], { allowLoopback: true })).toMatchObject({ kind: "sent" });
  expect(service.received.at(-1)).toMatchObject({
    payload: {
      kind: "summary",
      headline: "3 requests for you",
      text: "1 request ended",
      path: "/approvals",
      tag: "summary",
    },
    headers: { topic: "summary", urgency: "normal" },
  });
});

it("[TRUST 17] connects to no private address, also by name, and follows no redirect", async () => {
  const before = service.received.length;
  const refused = { kind: "failed", code: "push-address-not-allowed", permanent: true };
  const { port } = new URL(service.url);
  expect(await tell([`${service.url}/phone`])).toEqual(refused);
  expect(await tell([`http://localhost:${port}/phone`])).toEqual(refused);
  service.answers.set("moved", 307);
  expect(await tell([`${service.url}/moved`], { allowLoopback: true })).toEqual({
    kind: "failed",
    code: "push-http-307",
    permanent: false,
  });
  expect(service.received.length).toBe(before);
});

it("tries again if one device could still get the notice, and gives up otherwise", async () => {
  for (const status of [400, 410, 503]) service.answers.set(String(status), status);
  const tellAll = (...codes: number[]) =>
    tell(
      codes.map((code) => `${service.url}/${code}`),
      { allowLoopback: true },
    );
  expect(await tellAll(410, 503)).toMatchObject({ code: "push-http-503", permanent: false });
  expect(await tellAll(410, 400)).toMatchObject({ code: "push-http-400", permanent: true });
  expect(await tellAll(410)).toMatchObject({ code: "push-no-device", permanent: true });
  expect(await tellAll()).toMatchObject({ code: "push-no-device", permanent: true });
  expect(await tell([`${service.url}/phone`], {}, "not a key")).toMatchObject({
    code: "push-key-invalid",
    permanent: false,
  });
});

it("reports faults in its options and in its key", () => {
  expect(push(options).faults).toEqual([]);
  expect(push({ contact: "ops@example.com", secret: "" }).faults.map(({ path }) => path)).toEqual([
    ["contact"],
    ["secret"],
  ]);
  expect(() => readVapidKeys(Buffer.alloc(31).toString("base64url"))).toThrow(/openssl rand/);
  expect(() => readVapidKeys(Buffer.alloc(32).toString("base64url"))).toThrow(/openssl rand/);
});
