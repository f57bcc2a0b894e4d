import { defineConformanceTest } from "../conformance/conformance-test.ts";
import { respondJson, TestHttpServer } from "../egress/testing/http-server.ts";
import { http } from "./index.ts";

/** The number of crashes per case. The lab sets a higher number than this default. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 1);

/**
 * A server that stores one text per path and supports idempotency keys. It runs only in the suite's process, and the
 * adapter's processes receive its address.
 */
const site = new TestHttpServer();
const storedTexts = new Map<string, string>();
const usedKeys = new Set<string>();
let isSilent = false;

site.respond = ({ method, path, headers, body }, response) => {
  if (isSilent) return;
  if (headers["x-token"] !== "shelf-token") return respondJson(response, 401, {});
  if (method === "GET")
    return respondJson(response, storedTexts.has(path) ? 200 : 404, storedTexts.get(path) ?? null);
  const key = String(headers["idempotency-key"]);
  if (!usedKeys.has(key)) {
    usedKeys.add(key);
    if (method === "DELETE") storedTexts.delete(path);
    else storedTexts.set(path, `${storedTexts.get(path) ?? ""}${body}`);
  }
  respondJson(response, 200, { kept: true });
};

/** The cases contain full URLs, so the address must be known before `prepare`. */
process.env.PARAPH_CONFORMANCE_SITE ??= (await site.open()).origin;
const origin = process.env.PARAPH_CONFORMANCE_SITE;

const slow = {
  begin: async () => {
    isSilent = true;
  },
};
const url = `${origin}/a`;

export default defineConformanceTest({
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
    watch: [url],
  }),
  credentials: { SHELF_TOKEN: "shelf-token" },
  async reset() {
    isSilent = false;
    usedKeys.clear();
    storedTexts.clear();
    storedTexts.set("/a", "old");
    storedTexts.set("/large", "x".repeat(4 * 1024 * 1024));
  },
  snapshot: async () => JSON.stringify([...storedTexts].map(([path, text]) => [path, text.slice(0, 100)])),
  triggerEvent: async () => void storedTexts.set("/a", "newer"),
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
