import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Capability, CapabilityError, defineCapability, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { newKeyPair } from "../../../../sdk/src/serve/key-pair.ts";
import { type Serving, serve } from "../../../../sdk/src/serve/node.ts";
import { defineTrial, type Ground } from "../conformance/trial.ts";
import { remote } from "./index.ts";

/** The lab sweeps more finely. */
const crashes = Number(process.env.PARAPH_TRIAL_CRASHES ?? 2);

/** What the shop holds: goods by their name, and who put them there. */
type Shelf = Record<string, { text: string; by?: string }>;
const shelfIn = (folder: string) => join(folder, "shelf.json");
const read = async (folder: string): Promise<Shelf> => JSON.parse(await readFile(shelfIn(folder), "utf8"));
const write = (folder: string, shelf: Shelf) => writeFile(shelfIn(folder), JSON.stringify(shelf));

const good = z.object({ name: z.string(), text: z.string().max(100_000) });
const terms = { version: 1, effect: "write", output: z.object({ text: z.string() }) } as const;

/** Slow enough to be killed in the middle, and slower still where it is told to be: until it is told to stop. */
async function takeTime(text: string, { signal }: ExecutionContext): Promise<void> {
  await pause(text === "slow" ? 60_000 : 5, undefined, { signal });
}

function shop(folder: string): { readonly capability: Capability; readonly locks: readonly string[] }[] {
  const basisOf = async (name: string) => (await read(folder))[name] ?? null;
  const put = defineCapability({
    ...terms,
    name: "shop.put",
    summary: "Put something on the shelf",
    idempotency: "probe",
    input: good,
    locks: ({ name }) => [`good:${name}`],
    preview: async ({ name }) => ({
      changes: [{ kind: "update", target: name }],
      basis: await basisOf(name),
    }),
    apply: async ({ name, text }, world) => {
      await takeTime(text, world);
      if (JSON.stringify(await basisOf(name)) !== JSON.stringify(world.basis))
        throw new CapabilityError("permanent", "basis-moved", "Somebody else was there first.");
      await write(folder, { ...(await read(folder)), [name]: { text, by: world.key } });
      return { text };
    },
    probe: async ({ name }, { key }) => {
      const there = (await read(folder))[name];
      return there?.by === key ? { kind: "present", output: { text: there.text } } : { kind: "absent" };
    },
    undo: ({ name }) => ({ capability: "shop.clear", input: { name } }),
  });
  const clear = defineCapability({
    ...terms,
    name: "shop.clear",
    summary: "Take something away",
    idempotency: "natural",
    input: good.pick({ name: true }),
    locks: ({ name }) => [`good:${name}`],
    apply: async ({ name }, world) => {
      await takeTime("", world);
      const { [name]: gone, ...rest } = await read(folder);
      await write(folder, rest);
      return { text: gone?.text ?? "" };
    },
  });
  const look = defineCapability({
    ...terms,
    name: "shop.look",
    summary: "Look at something",
    idempotency: "natural",
    effect: "read",
    input: good.pick({ name: true }),
    apply: async ({ name }) => ({ text: (await read(folder))[name]?.text ?? "" }),
  });
  const locks = ["good:{name}"];
  return [
    { capability: put, locks },
    { capability: clear, locks },
    { capability: look, locks: [] },
  ];
}

let serving: Serving | undefined;
const somebodyElse = ({ folder }: Ground) => write(folder, { tea: { text: "somebody else's" } });

/** A service in the suite's process, asked over the wire by processes that are killed. */
export default defineTrial<{ url: string; service: string }>({
  name: "shop",
  async prepare({ folder }) {
    const [paraph, service] = await Promise.all([newKeyPair(), newKeyPair()]);
    process.env.SHOP_KEY = paraph.privateKey;
    serving = await serve({
      capabilities: shop(folder),
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
  reset: ({ folder }) => write(folder, { milk: { text: "fresh" } }),
  picture: async ({ folder }) =>
    JSON.stringify(Object.entries(await read(folder)).map(([name, { text }]) => [name, text])),
  cases: [
    {
      capability: "shop.put",
      input: { name: "tea", text: "green" },
      move: somebodyElse,
      slow: { input: { name: "tea", text: "slow" }, deadlineMs: 200 },
      large: [{ name: "tea", text: "x".repeat(100_000) }],
      crashes,
    },
    { capability: "shop.clear", input: { name: "milk" }, crashes },
    { capability: "shop.look", input: { name: "milk" } },
  ],
});
