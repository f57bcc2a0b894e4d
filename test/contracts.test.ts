import { readFileSync } from "node:fs";
import {
  type Contract,
  defineCapability,
  documentIncompatibilities,
  incompatibilities,
  type Json,
} from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  contractDocuments,
  formatContract,
  formatOpenApi,
  openApiFile,
  readReleasedContract,
  readShippedContracts,
  toContractFile,
} from "../scripts/contracts.ts";

describe.each(await readShippedContracts())("contract $name.v$version", (contract) => {
  it("is compatible with the released contract (an incompatible change needs a new version)", () => {
    expect(incompatibilities(readReleasedContract(contract) ?? contract, contract)).toEqual([]);
  });

  it("matches its file (run `npm run contracts` after a compatible change)", () => {
    expect(readFileSync(toContractFile(contract), "utf8")).toBe(formatContract(contract));
  });
});

describe.each(contractDocuments)("document $name", ({ file, released, current, text }) => {
  it("accepts every input of the released document (an incompatible change needs a new version)", () => {
    expect(documentIncompatibilities(released, current)).toEqual([]);
  });

  it("matches its file (run `npm run contracts` after a compatible change)", () => {
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it.each<[string, (schema: { properties: Record<string, Json>; required: string[] }) => void, RegExp]>([
    [
      "a field gone",
      ({ properties, required }) => delete properties[required.at(-1)!],
      /document.\w+ was removed/,
    ],
    ["a field demanded", ({ required }) => required.push("title"), /document.title is now required/],
  ])("reports an incompatible change of the document: %s", (_, change, reason) => {
    const changed = structuredClone(released);
    change(changed as never);
    expect(documentIncompatibilities(released, changed).join("; ")).toMatch(reason);
  });
});

it("the OpenAPI document matches its file (run `npm run contracts` after a change)", () => {
  expect(readFileSync(openApiFile, "utf8")).toBe(formatOpenApi());
});

describe("the compatibility check", () => {
  const base = {
    name: "shop.order",
    version: 1,
    summary: "Order",
    effect: "write",
    idempotency: "keyed",
    sensitive: ["card"],
    input: z.object({
      item: z.string().max(40),
      count: z.int().min(1),
      card: z.string(),
      note: z.string().optional(),
      speed: z.enum(["slow", "fast"]),
    }),
    output: z.object({ order: z.string(), lines: z.array(z.object({ sku: z.string() })) }),
    apply: async () => ({ order: "1", lines: [] }),
  } as const;
  const contract = (change: object): Contract => defineCapability({ ...base, ...change } as never).contract;
  const before = contract({});
  const input = base.input;

  it.each<[string, object, RegExp]>([
    ["effect", { effect: "destroy" }, /effect was `write` and is `destroy`/],
    ["idempotency", { idempotency: "none" }, /idempotency/],
    ["a sensitive field shown", { sensitive: [] }, /no longer sensitive/],
    ["a new required field", { input: input.extend({ to: z.string() }) }, /input\.to is now required/],
    [
      "an optional field made required",
      { input: input.extend({ note: z.string() }) },
      /input\.note is now required/,
    ],
    ["a field gone", { input: input.omit({ note: true }) }, /input\.note was removed/],
    ["another type", { input: input.extend({ count: z.string() }) }, /changed from type integer/],
    ["a tighter bound", { input: input.extend({ item: z.string().max(20) }) }, /tighter maxLength/],
    ["a new bound", { input: input.extend({ card: z.string().min(3) }) }, /tighter minLength/],
    ["a pattern", { input: input.extend({ card: z.string().regex(/x/) }) }, /tighter pattern/],
    ["a choice less", { input: input.extend({ speed: z.enum(["slow"]) }) }, /no longer allows "fast"/],
    [
      "an output gone",
      { output: base.output.omit({ order: true }) },
      /output\.order is no longer always present/,
    ],
    [
      "an output now optional",
      { output: base.output.extend({ order: z.string().optional() }) },
      /output\.order is no longer/,
    ],
    [
      "a nested output gone",
      { output: base.output.extend({ lines: z.array(z.object({})) }) },
      /output\.lines\[\]\.sku/,
    ],
  ])("refuses an incompatible change: %s", (_, change, reason) => {
    expect(incompatibilities(before, contract(change)).join("; ")).toMatch(reason);
  });

  it.each<[string, object]>([
    ["another summary", { summary: "Order something" }],
    ["a new optional field", { input: input.extend({ gift: z.boolean().optional() }) }],
    ["a looser bound", { input: input.extend({ item: z.string().max(80) }) }],
    ["another choice", { input: input.extend({ speed: z.enum(["slow", "fast", "now"]) }) }],
    ["more output", { output: base.output.extend({ price: z.int() }) }],
    ["one more sensitive field", { sensitive: ["card", "note"] }],
  ])("accepts a compatible change: %s", (_, change) => {
    expect(incompatibilities(before, contract(change))).toEqual([]);
  });
});
