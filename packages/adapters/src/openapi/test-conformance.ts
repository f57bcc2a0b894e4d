import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConformanceTest } from "../conformance/conformance-test.ts";
import { openapi } from "./index.ts";
import { generateDocument } from "./testing/generated-document.ts";
import { TestShop } from "./testing/shop.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 1);

/** The host. It runs only in the suite's process, and the adapter's processes receive its address. */
const shop = new TestShop();

const changeThing = async () => void shop.things.set("thing0/7", { id: "7", name: "somebody else's" });
const largeInput = { body: { name: "a", label: { text: "x".repeat(2 * 1024 * 1024) } } };
const slowHost = {
  begin: async () => {
    shop.fault = "silence";
  },
};

export default defineConformanceTest<{ origin: string; host: string }>({
  name: "api",
  async prepare({ folder }) {
    await shop.open();
    await writeFile(join(folder, "shop.json"), JSON.stringify(generateDocument(1)));
    return { origin: shop.origin, host: shop.host };
  },
  cleanup: () => shop.close(),
  adapter: ({ origin, host }) =>
    openapi({
      document: "shop.json",
      server: origin,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      credential: "${SHOP_TOKEN}",
      allow: [host],
    }),
  credentials: { SHOP_TOKEN: shop.token },
  async reset() {
    shop.fault = undefined;
    shop.keys.clear();
    shop.things.clear();
    shop.things.set("thing0/7", { id: "7", name: "old", cents: 1 });
  },
  // Ids that the shop assigns differ each time, so the snapshot replaces them.
  snapshot: async () =>
    JSON.stringify(
      [...shop.things.values()].map((thing) => (thing.id === "7" ? thing : { ...thing, id: "new" })),
    ),
  cases: [
    { capability: "api.list_thing0", input: {} },
    { capability: "api.get_thing0", input: { id: "7" }, slow: slowHost },
    {
      capability: "api.create_thing0",
      input: { body: { name: "new", pin: "1234" } },
      large: [largeInput],
      slow: slowHost,
      crashes,
    },
    {
      capability: "api.replace_thing0",
      input: { id: "7", body: { name: "new", pin: "1234" } },
      changeBasis: changeThing,
      crashes,
    },
    {
      capability: "api.change_thing0",
      input: { id: "7", body: { cents: 2 } },
      changeBasis: changeThing,
      crashes,
    },
    { capability: "api.remove_thing0", input: { id: "7" }, changeBasis: changeThing, crashes },
  ],
});
