import { readdirSync, readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { openTestAdapter } from "../egress/testing/open-adapter.ts";
import { httpAdapterConfig } from "./config.ts";
import { http } from "./index.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/http.md", import.meta.url), "utf8");

it("docs/adapters/http.md: the configuration creates the capabilities that the table lists", async () => {
  const written = /^```ts\n(.*?)^```/ms
    .exec(guide)![1]!
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const run = new Function("defineConfig", "http", written);
  const { adapters } = run((config: object) => config, http) as { adapters: { web: Adapter } };
  await using api = await openTestAdapter(adapters.web);
  const rows = api.names.map((name) => {
    const { effect, risk, idempotency } = api.capability(name).contract;
    return `| \`web.${name}\` | ${effect} | ${risk} | ${idempotency}`;
  });
  expect(rows.filter((row) => !guide.includes(row))).toEqual([]);
  expect(rows).toHaveLength(guide.match(/^\| `web\./gm)!.length);
});

it("the guides name every option and every fault code", () => {
  expect(Object.keys(httpAdapterConfig.shape).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  const beside = readFileSync(new URL("../../../../docs/adapters/openapi.md", import.meta.url), "utf8");
  const folders = ["../egress/", "./", "../openapi/"].map((each) => new URL(each, import.meta.url));
  const codes = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => /^[a-z-]+\.ts$/.test(file))
      .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/"([a-z]+(?:-[a-z]+)+)"/g)])
      .map(([, code]) => code!),
  );
  const faults = codes.filter((code) =>
    /-(moved|missing|invalid|lost|refused|redirects|allowed|unusable|it|large)$/.test(code),
  );
  expect(new Set(faults).size).toBeGreaterThan(10);
  const told = (code: string) => guide.includes(`\`${code}\``) || beside.includes(`\`${code}\``);
  expect([...new Set(faults)].filter((code) => !told(code) && code !== "adapter-invalid")).toEqual([]);
});
