import { readdirSync, readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { openTestAdapter } from "../egress/testing/open-adapter.ts";
import { calendarAdapterConfig } from "./config.ts";
import { caldav } from "./index.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/calendar.md", import.meta.url), "utf8");

it("docs/adapters/calendar.md: the configuration creates the capabilities that the table lists", async () => {
  const written = /^```ts\n(.*?)^```/ms
    .exec(guide)![1]!
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const run = new Function("defineConfig", "caldav", written);
  const { adapters } = run((config: object) => config, caldav) as { adapters: { calendar: Adapter } };
  expect(adapters.calendar.faults).toEqual([]);
  expect(adapters.calendar.secrets).toEqual(["CALDAV_PASSWORD"]);
  await using api = await openTestAdapter(adapters.calendar);
  const rows = api.names.map((name) => {
    const { effect, risk, idempotency } = api.capability(name).contract;
    return `| \`calendar.${name}\` | ${effect} | ${risk} | ${idempotency}`;
  });
  expect(rows.filter((row) => !guide.includes(row))).toEqual([]);
  expect(rows).toHaveLength(guide.match(/^\| `calendar\./gm)!.length);
});

it("the guide names every option, every input field and every fault code", async () => {
  const named = (text: string) => guide.includes(`\`${text}\``);
  expect(Object.keys(calendarAdapterConfig.shape).filter((name) => !named(name))).toEqual([]);
  const sources = readdirSync(new URL(".", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/test/.test(file))
    .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"));
  const codes = sources.flatMap((text) =>
    [...text.matchAll(/"permanent",\s+"([a-z-]+)"/g)].map(([, code]) => code!),
  );
  expect(new Set(codes).size).toBeGreaterThan(15);
  expect([...new Set(codes)].filter((code) => !named(code))).toEqual([]);
});
