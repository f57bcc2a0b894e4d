import { answerJson, Site } from "../../outbound/testing/site.ts";
import { defineTrial } from "../conformance/trial.ts";
import { http } from "./index.ts";

/** The lab sweeps more finely. */
const crashes = Number(process.env.PARAPH_TRIAL_CRASHES ?? 1);

/** A shelf by path, with keys: in the process of the suite only, the adapter's are told where it is. */
const site = new Site();
const shelf = new Map<string, string>();
const keys = new Set<string>();
let silent = false;

site.answer = ({ method, path, headers, body }, response) => {
  if (silent) return;
  if (headers["x-token"] !== "shelf-token") return answerJson(response, 401, {});
  if (method === "GET") return answerJson(response, shelf.has(path) ? 200 : 404, shelf.get(path) ?? null);
  const key = String(headers["idempotency-key"]);
  if (!keys.has(key)) {
    keys.add(key);
    if (method === "DELETE") shelf.delete(path);
    else shelf.set(path, `${shelf.get(path) ?? ""}${body}`);
  }
  answerJson(response, 200, { kept: true });
};

/** A case is written before anything is prepared, and agents name whole URLs: the address must be known here. */
process.env.PARAPH_TRIAL_SITE ??= (await site.open()).origin;
const origin = process.env.PARAPH_TRIAL_SITE;

const slow = {
  begin: async () => {
    silent = true;
  },
};
const url = `${origin}/a`;

export default defineTrial({
  name: "web",
  cleanup: () => site.close(),
  adapter: http({
    hosts: {
      [origin]: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
        credential: { header: "X-Token", value: "${SHELF_TOKEN}" },
        idempotencyKey: true,
      },
    },
    allow: [new URL(origin).host],
  }),
  credentials: { SHELF_TOKEN: "shelf-token" },
  async reset() {
    silent = false;
    keys.clear();
    shelf.clear();
    shelf.set("/a", "old");
    shelf.set("/large", "x".repeat(4 * 1024 * 1024));
  },
  picture: async () => JSON.stringify([...shelf].map(([path, text]) => [path, text.slice(0, 100)])),
  cases: [
    { capability: "web.get", input: { url }, large: [{ url: `${origin}/large` }], slow },
    {
      capability: "web.request",
      input: { url, method: "POST", body: " and new" },
      large: [{ url, method: "POST", body: "x".repeat(2 * 1024 * 1024) }],
      slow,
      crashes,
    },
    { capability: "web.delete", input: { url }, crashes },
  ],
});
