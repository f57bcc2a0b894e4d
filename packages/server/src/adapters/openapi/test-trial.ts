import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTrial } from "../conformance/trial.ts";
import { openapi } from "./index.ts";
import { generatedDocument } from "./testing/generated-document.ts";
import { Shop } from "./testing/shop.ts";

/** The lab sweeps more finely. */
const crashes = Number(process.env.PARAPH_TRIAL_CRASHES ?? 1);

/** In the process of the suite only; the adapter's processes are told its address. */
const shop = new Shop();

const move = async () => void shop.things.set("thing0/7", { id: "7", name: "somebody else's" });
const large = { body: { name: "a", label: { text: "x".repeat(2 * 1024 * 1024) } } };
const slow = {
  begin: async () => {
    shop.fault = "silence";
  },
};

export default defineTrial<{ origin: string; host: string }>({
  name: "api",
  async prepare({ folder }) {
    await shop.open();
    await writeFile(join(folder, "shop.json"), JSON.stringify(generatedDocument(1)));
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
  // What a shop numbers itself is numbered anew each time.
  picture: async () =>
    JSON.stringify(
      [...shop.things.values()].map((thing) => (thing.id === "7" ? thing : { ...thing, id: "new" })),
    ),
  cases: [
    { capability: "api.list_thing0", input: {} },
    { capability: "api.get_thing0", input: { id: "7" }, slow },
    {
      capability: "api.create_thing0",
      input: { body: { name: "new", pin: "1234" } },
      large: [large],
      slow,
      crashes,
    },
    {
      capability: "api.replace_thing0",
      input: { id: "7", body: { name: "new", pin: "1234" } },
      move,
      crashes,
    },
    { capability: "api.change_thing0", input: { id: "7", body: { cents: 2 } }, move, crashes },
    { capability: "api.remove_thing0", input: { id: "7" }, move, crashes },
  ],
});
