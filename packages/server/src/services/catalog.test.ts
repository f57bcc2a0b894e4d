import { defineCapability } from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { createCatalog } from "./catalog.ts";

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
