import { readdirSync, readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { openTestAdapter } from "../egress/testing/open-adapter.ts";
import { mailbox, mailboxConfig } from "./index.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/mail.md", import.meta.url), "utf8");

it("docs/adapters/mail.md: the configuration creates the capabilities that the table lists", async () => {
  const written = /^```ts\n(.*?)^```/ms
    .exec(guide)![1]!
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const run = new Function("defineConfig", "mailbox", written);
  const { adapters } = run((config: object) => config, mailbox) as { adapters: { office: Adapter } };
  await using api = await openTestAdapter(adapters.office);
  const offered = api.names.map((name) => {
    const { effect, risk, idempotency } = api.capability(name).contract;
    return [`office.${name}`, effect, risk, idempotency];
  });
  const rows = [...guide.matchAll(/^\| `(office\.\w+)` \| (\w+) \| (\w+) \| (\w+) \|/gm)];
  expect(rows.map((row) => row.slice(1))).toEqual(offered);
});

it("docs/adapters/mail.md names every option and every fault code", () => {
  expect(Object.keys(mailboxConfig.shape).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/test/.test(name))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n");
  const thrown = [...sources.matchAll(/"(?:permanent|ambiguous|not-performed)",\s+"([a-z-]+)"/g)].map(
    ([, code]) => code!,
  );
  expect(new Set(thrown).size).toBeGreaterThan(15);
  expect(thrown.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});
