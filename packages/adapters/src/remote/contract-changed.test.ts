import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { defineCapability } from "@paraph/core";
import { afterEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../../dev-servers/src/ports.ts";
import { openAdapters } from "../../../server/src/services/open-adapters.ts";
import { readFault } from "../testing.ts";
import {
  createAdapterContext,
  createRemoteAdapter,
  createRemoteFixture,
  createTestContext,
  findServedCapability,
  keyPairs,
  openRemote,
  serve,
} from "./testing/fixture.ts";

afterEach(() => void vi.useRealTimers());

const done: string[] = [];
const order = (version = 1) =>
  defineCapability({
    name: "shop.order",
    version,
    summary: "Order something",
    effect: "write",
    idempotency: "none",
    input: z.object({ what: z.string() }),
    output: z.object({}),
    apply: async ({ what }) => {
      done.push(what);
      return {};
    },
  });
/**
 * Serves at a port outside the range from which the system chooses. Otherwise another process could take the port while
 * a test restarts the service there.
 */
const serving = async (version: number, port?: number) =>
  serve({
    capabilities: [order(version)],
    port: port ?? (await findFreePort()),
    key: keyPairs.service.privateKey,
    callers: [keyPairs.paraph.publicKey],
  });
const portOf = (url: string) => Number(new URL(url).port);

it("[P5] a service whose contract changed does not perform the call, and Paraph reloads its contracts", async () => {
  const old = await serving(1);
  const { open, changes } = await openRemote({ url: old.url });
  const before = findServedCapability(await open.capabilities(), "shop.order");
  await old.stop();
  const next = await serving(2, portOf(old.url));
  const apply = () => before.apply({ what: "tea" }, createTestContext());
  expect(await readFault(apply())).toBe("not-performed contract-changed");
  expect([changes(), done]).toEqual([1, []]);
  expect(findServedCapability(await open.capabilities(), "shop.order").contract.version).toBe(2);
  // Paraph never performs a call under the new contract if policy ruled on it under the old one, regardless of the
  // number of attempts.
  expect(await readFault(apply())).toBe("not-performed contract-changed");
  expect(done).toEqual([]);
  await open.close?.();
  await next.stop();
});

it("a pinned adapter offers exactly the contracts with the pinned digest, or none", async () => {
  await using fixture = await createRemoteFixture({ capabilities: [order()] });
  const pinned = await openRemote({ url: fixture.service.url, digest: fixture.service.digest });
  expect(await pinned.open.capabilities()).toHaveLength(1);
  expect(await pinned.open.health?.(new AbortController().signal)).toEqual({
    kind: "well",
    message: `The service's contracts have the digest \`${fixture.service.digest}\`.`,
  });
  await pinned.open.close?.();
  const other = await openRemote({ url: fixture.service.url, digest: "0".repeat(64) });
  await expect(other.open.capabilities()).rejects.toThrow(`set \`digest\` to \`${fixture.service.digest}\``);
  await other.open.close?.();
});

it("Paraph polls a service every minute, and announces a change only if its contracts changed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const old = await serving(1);
  const told = Promise.withResolvers<void>();
  const open = await createRemoteAdapter({ url: old.url }).open(createAdapterContext(told.resolve));
  await open.capabilities();
  await old.stop();
  vi.advanceTimersByTime(60_000);
  const next = await serving(2, portOf(old.url));
  vi.advanceTimersByTime(60_000);
  await told.promise;
  expect(findServedCapability(await open.capabilities(), "shop.order").contract.version).toBe(2);
  await open.close?.();
  await next.stop();
});

it("an unavailable service affects only its adapter, which recovers by itself", async () => {
  const port = await findFreePort();
  const back = Promise.withResolvers<void>();
  const adapters = await openAdapters({
    adapters: { shop: createRemoteAdapter({ url: `http://127.0.0.1:${port}` }) },
    folder: "/nowhere",
    credential: async () => keyPairs.paraph.privateKey,
    contractCache: { recall: async () => new Map([["shop", [order().contract]]]), keep: async () => {} },
    onChange: async () => back.resolve(),
    onProblem: () => {},
  });
  const { signal } = new AbortController();
  expect(await adapters.list(signal)).toMatchObject([
    { name: "shop", state: "unavailable", code: "service-unavailable" },
  ]);
  expect(adapters.listCapabilities().get("shop")?.[0]?.unavailable?.code).toBe("service-unavailable");
  const service = await serving(1, port);
  await back.promise;
  expect(await adapters.list(signal)).toMatchObject([{ name: "shop", state: "ready", capabilities: 1 }]);
  expect(adapters.listCapabilities().get("shop")?.[0]?.unavailable).toBeUndefined();
  await service.stop();
  expect(await adapters.list(signal)).toMatchObject([{ state: "degraded", code: "service-unavailable" }]);
  await adapters.close();
});

it("a silent service fails with `service-slow` at the timeout", async () => {
  const silent = createServer((socket) => socket.resume().on("error", () => {})).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { open } = await openRemote({ url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  const asked = open.health!(AbortSignal.timeout(100));
  await expect(asked).rejects.toMatchObject({ kind: "not-performed", code: "service-slow" });
  await open.close?.();
  silent.close();
  await once(silent, "close");
});

it.each([
  ["an address elsewhere without TLS", { url: "http://shop.example" }, "plain HTTP"],
  ["no address", { url: "shop" }, "`https://…`"],
  ["another scheme", { url: "file:///etc/passwd" }, "`https://…`"],
  ["a password in the address", { url: "https://a:b@shop.example" }, "must not contain a user"],
  ["a key in the configuration", { url: "https://shop.example", key: "MC4CAQ" }, "name the secret"],
  ["no public key", { url: "https://shop.example", service: "bob" }, "a public key"],
  ["no digest", { url: "https://shop.example", digest: "1" }, "digest"],
])("rejects an invalid configuration: %s", async (_, configured, message) => {
  await expect(openRemote(configured)).rejects.toThrow(message);
});

it.each([
  "http://localhost:1",
  "http://[::1]:1",
  "http://127.1:1",
  "https://shop.example/below/",
  "http://10.0.0.1",
])("accepts the address %s", async (url) => {
  const { open } = await openRemote({ url, allowHttp: url.includes("10.0.0.1") });
  await open.close?.();
});
