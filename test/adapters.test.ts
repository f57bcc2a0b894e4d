// Tests unavailable adapters in a complete Paraph server. Their capabilities stay governed, none of their calls is
// performed, and other adapters keep working.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { files } from "@paraph/adapters/files";
import { defineAdapter, defineCapability, ParaphError } from "@paraph/core";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { TestParaph } from "./support/servers/test-paraph.ts";

const done: string[] = [];
const open = new Set<string>();

/** An adapter that opens only while the test has marked it as open. */
const shop = defineAdapter({
  kind: "shop",
  config: z.strictObject({}),
  open: (_, { name }) => {
    if (!open.has(name)) throw new ParaphError("adapter-invalid", "The shop is shut: open its door.");
    return {
      capabilities: async () => [
        defineCapability({
          name: `${name}.order`,
          version: 1,
          summary: "Order",
          effect: "write",
          idempotency: "keyed",
          input: z.object({ cents: z.int() }),
          output: z.object({ ok: z.boolean() }),
          preview: async ({ cents }) => ({ changes: [{ kind: "send", target: `${cents}` }], basis: null }),
          apply: async (_, { call }) => {
            done.push(call);
            return { ok: true };
          },
        }),
      ],
    };
  },
});

const people = [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "ana", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
] as const;

it("the first start succeeds without an unavailable adapter, whose rules and policies apply once it is available", async () => {
  const paraph = await TestParaph.start(
    {
      adapters: { files: files({ root: "." }), shop: shop({}) },
      rules: [{ capability: "shop.order", when: { "input.cents": { over: 100 } }, ask: true }],
      policies: ["shop.cedar"],
    },
    people,
    {},
    async (folder) => {
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, "shop.cedar"),
        '@id("no-huge-orders") forbid (principal, action == Action::"shop.order", resource) when { context.input.cents > 100000 };\n',
      );
    },
  );
  onTestFinished(() => paraph.stop());
  const ask = (cents: number) =>
    paraph.request("bot", "POST", "/v1/calls", { capability: "shop.order", input: { cents } });
  const adapters = async () => (await paraph.request("ana", "GET", "/v1/adapters")).body.adapters;

  expect(await adapters()).toMatchObject([
    { name: "files", state: "ready", capabilities: 7, seenAt: expect.stringContaining("T") },
    { name: "shop", state: "unavailable", message: "The shop is shut: open its door." },
  ]);
  expect((await ask(5)).body.code).toBe("capability-unknown");
  const read = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "files.list",
    input: { path: "." },
  });
  expect(read.body.outcome).toMatchObject({ kind: "succeeded" });
  const doctor = await paraph.cli({ person: "ana", agent: "bot" }, "doctor");
  expect(doctor.stdout).toContain("unavailable. The shop is shut: open its door.");

  // The adapter becomes available. Its rules and policies apply immediately.
  open.add("shop");
  await expect.poll(async () => (await adapters())[1].state).toBe("ready");
  await expect.poll(async () => (await ask(500)).body.waiting?.for).toBe("approval");
  expect((await ask(200_000)).body).toMatchObject({ outcome: { kind: "refused" } });
  expect(done).toEqual([]);
});
