import { defineCapability } from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { createCatalog, createSettings } from "./catalog.ts";

const named = (name: string) =>
  defineCapability({
    name,
    version: 1,
    summary: "Does",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => ({}),
  });

it("[TRUST 25] a custom capability cannot escape a freeze with a name under `admin.`, which is reserved", () => {
  expect(() => createCatalog({ capabilities: [named("admin.sneak")] }, new Map())).toThrow(
    /reserved for Paraph/,
  );
  expect(
    createCatalog({ capabilities: [named("mine.do")] }, new Map()).find("acme", "admin.freeze"),
  ).toBeDefined();
});

it("the urgency of an approval sets its deadline, and a configured deadline replaces only its own default", () => {
  const hours = (count: number) => count * 3_600_000;
  expect(createSettings({}).askMs).toEqual({
    low: hours(24),
    normal: hours(24),
    high: hours(4),
    critical: hours(0.25),
  });
  expect(createSettings({ ask: { expires: { critical: "5m" } } }).askMs).toMatchObject({
    critical: 300_000,
    high: hours(4),
  });
});
