import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Capability, CapabilityError, defineCapability, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { createKeyPair } from "../../../sdk/src/serve/key-pair.ts";
import { type RunningService, serve } from "../../../sdk/src/serve/node.ts";
import { defineConformanceTest, type Fixture } from "../conformance/conformance-test.ts";
import { remote } from "./index.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 2);

/** The shop's items by name. `by` is the key of the call that put the item there. */
type Stock = Record<string, { text: string; by?: string }>;
const stockPath = (folder: string) => join(folder, "shelf.json");
const readStock = async (folder: string): Promise<Stock> =>
  JSON.parse(await readFile(stockPath(folder), "utf8"));
const writeStock = (folder: string, shelf: Stock) => writeFile(stockPath(folder), JSON.stringify(shelf));

const itemInput = z.object({ name: z.string(), text: z.string().max(100_000) });
const commonTerms = { version: 1, effect: "write", output: z.object({ text: z.string() }) } as const;

/**
 * Delays the effect, so that the suite can kill a process before the effect. For the text "slow", the delay is a minute
 * unless the signal ends it earlier.
 */
async function delayEffect(text: string, { signal }: ExecutionContext): Promise<void> {
  await pause(text === "slow" ? 60_000 : 5, undefined, { signal });
}

function createShopCapabilities(
  folder: string,
): { readonly capability: Capability; readonly locks: readonly string[] }[] {
  const basisOf = async (name: string) => (await readStock(folder))[name] ?? null;
  const put = defineCapability({
    ...commonTerms,
    name: "shop.put",
    summary: "Put something on the shelf",
    idempotency: "probe",
    input: itemInput,
    locks: ({ name }) => [`good:${name}`],
    preview: async ({ name }) => ({
      changes: [{ kind: "update", target: name }],
      basis: await basisOf(name),
    }),
    apply: async ({ name, text }, context) => {
      await delayEffect(text, context);
      const current = await basisOf(name);
      // An attempt of a killed process may reach the service only after the probe of its call.
      if (current?.by === context.key) return { text: current.text };
      if (JSON.stringify(current) !== JSON.stringify(context.basis))
        throw new CapabilityError("permanent", "basis-changed", "Somebody else was there first.");
      await writeStock(folder, { ...(await readStock(folder)), [name]: { text, by: context.key } });
      return { text };
    },
    probe: async ({ name }, { key }) => {
      const there = (await readStock(folder))[name];
      return there?.by === key ? { kind: "present", output: { text: there.text } } : { kind: "absent" };
    },
    undo: ({ name }) => ({ capability: "shop.clear", input: { name } }),
  });
  const clear = defineCapability({
    ...commonTerms,
    name: "shop.clear",
    summary: "Take something away",
    idempotency: "natural",
    input: itemInput.pick({ name: true }),
    locks: ({ name }) => [`good:${name}`],
    apply: async ({ name }, context) => {
      await delayEffect("", context);
      const { [name]: gone, ...rest } = await readStock(folder);
      await writeStock(folder, rest);
      return { text: gone?.text ?? "" };
    },
  });
  const capability = defineCapability({
    ...commonTerms,
    name: "shop.look",
    summary: "Look at something",
    idempotency: "natural",
    effect: "read",
    input: itemInput.pick({ name: true }),
    apply: async ({ name }) => ({ text: (await readStock(folder))[name]?.text ?? "" }),
  });
  const locks = ["good:{name}"];
  return [
    { capability: put, locks },
    { capability: clear, locks },
    { capability, locks: [] },
  ];
}

let serving: RunningService | undefined;
const changeByOther = ({ folder }: Fixture) => writeStock(folder, { tea: { text: "somebody else's" } });

/**
 * Tests a service that runs in the suite's process. The adapter's processes, which the suite kills, call the service
 * over HTTP.
 */
export default defineConformanceTest<{ url: string; service: string }>({
  name: "shop",
  async prepare({ folder }) {
    const [paraph, service] = await Promise.all([createKeyPair(), createKeyPair()]);
    process.env.SHOP_KEY = paraph.privateKey;
    serving = await serve({
      capabilities: createShopCapabilities(folder),
      key: service.privateKey,
      callers: [paraph.publicKey],
    });
    return { url: serving.url, service: service.publicKey };
  },
  async cleanup() {
    await serving?.stop();
    delete process.env.SHOP_KEY;
  },
  adapter: ({ url, service }) => remote({ url, service, key: `$${"{SHOP_KEY}"}` }),
  reset: ({ folder }) => writeStock(folder, { milk: { text: "fresh" } }),
  snapshot: async ({ folder }) =>
    JSON.stringify(Object.entries(await readStock(folder)).map(([name, { text }]) => [name, text])),
  cases: [
    {
      capability: "shop.put",
      input: { name: "tea", text: "green" },
      changeBasis: changeByOther,
      slow: { input: { name: "tea", text: "slow" }, deadlineMs: 200 },
      large: [{ name: "tea", text: "x".repeat(100_000) }],
      crashes,
    },
    { capability: "shop.clear", input: { name: "milk" }, crashes },
    { capability: "shop.look", input: { name: "milk" } },
  ],
});
