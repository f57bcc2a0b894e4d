import {
  type Call,
  Catalog,
  defineCapability,
  type Evaluated,
  type Json,
  planCapability,
} from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { describeUndo } from "./undo-offer.ts";

const define = (name: string, sensitive: readonly string[]) =>
  defineCapability({
    name,
    version: 1,
    summary: "Restore",
    effect: "write",
    idempotency: "natural",
    ...(sensitive.length > 0 && { sensitive }),
    input: z.strictObject({ text: z.string() }),
    output: z.null(),
    apply: async () => null,
  });
const catalog = new Catalog([define("notes.restore", []), define("letters.restore", ["text"])]);
const principal = { tenant: "acme", id: "ana", kind: "person" } as const;
const evaluated = {
  kind: "ruled",
  ruledCall: { ruling: { kind: "ask", sentence: "A person decides.", policies: [], guards: [] } },
  preview: {
    basis: null,
    changes: [{ kind: "update", target: "secret place" }],
    steps: [{ id: "undo-1-a", headline: "Restore the secret" }],
  },
} as unknown as Evaluated;
const toPlan = (capability: string, input: Json): Json => ({
  version: 1,
  steps: [{ id: "undo-1-a", capability, input: { $literal: input } }],
});
const describe = (input: Json) =>
  describeUndo(
    {
      tenant: "acme",
      payloads: { undo: { value: { capability: planCapability, input } } },
    } as unknown as Call,
    principal,
    { ports: { catalog, store: {} as never }, previewCall: async () => evaluated },
  );

it("[TRUST 16] shows nothing of an undo with sensitive fields, also of a plan within a plan within the undo", async () => {
  const nested = toPlan(planCapability, toPlan(planCapability, toPlan("letters.restore", { text: "x" })));
  for (const input of [toPlan("letters.restore", { text: "x" }), nested]) {
    const { steps, changes, fault } = (await describe(input))!;
    expect({ steps, changes, fault }).toEqual({
      steps: [{ capability: "letters.restore" }],
      changes: [],
      fault: "plan-sensitive",
    });
  }
  const open = await describe(toPlan(planCapability, toPlan("notes.restore", { text: "x" })));
  expect(open).toMatchObject({ steps: [{ capability: "notes.restore" }], changes: [{ kind: "update" }] });
  expect(open).not.toHaveProperty("fault");
});
