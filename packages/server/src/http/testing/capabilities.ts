import {
  CapabilityError,
  Catalog,
  defineCapability,
  type Guard,
  type Policy,
  type PolicySet,
  planApplyCapability,
} from "@paraph/core";
import { z } from "zod";

/** The state behind the test capabilities: notes, refunds, and a gate at which slow notes wait. */
export class TestNotes {
  readonly written: string[] = [];
  readonly refunded: string[] = [];
  readonly pinned = new Map<string, string>();
  status = "captured";
  #gate = Promise.withResolvers<void>();

  openGate(): void {
    this.#gate.resolve();
  }

  waitForGate(): Promise<void> {
    return this.#gate.promise;
  }
}

const textSchema = z.object({ text: z.string() });

export function createTestCatalog(notes: TestNotes): Catalog {
  const write = {
    version: 1,
    effect: "write",
    idempotency: "natural",
    input: textSchema,
    output: z.object({}),
  } as const;
  return new Catalog([
    defineCapability({
      name: "notes.list",
      version: 1,
      summary: "List the notes",
      effect: "read",
      idempotency: "natural",
      input: z.object({ prefix: z.string().optional() }),
      output: z.object({ notes: z.array(z.string()) }),
      apply: async () => ({ notes: notes.written }),
    }),
    defineCapability({
      ...write,
      name: "notes.append",
      summary: "Append a note",
      apply: async (input) => {
        notes.written.push(input.text);
        return {};
      },
    }),
    defineCapability({
      ...write,
      name: "notes.slow",
      summary: "Append a note once the gate is open",
      apply: async (input) => {
        await notes.waitForGate();
        notes.written.push(input.text);
        return {};
      },
    }),
    defineCapability({ ...write, name: "notes.forbidden", summary: "Never", apply: async () => ({}) }),
    defineCapability({
      ...write,
      name: "notes.burn",
      summary: "Burn a note",
      risk: "high",
      apply: async () => ({}),
    }),
    ...createRewriteCapabilities(write),
    ...(["medium", "high"] as const).map((risk) =>
      defineCapability({
        ...write,
        idempotency: "none",
        performer: "agent",
        risk,
        timeout: "30s",
        name: risk === "high" ? "own.publish" : "own.post",
        summary: "Post a note from the agent's own process",
        output: z.object({ posted: z.string() }),
      }),
    ),
    ...createPinCapabilities(notes),
    planApplyCapability,
    defineCapability({
      ...write,
      name: "notes.break",
      summary: "Fail, quoting its input",
      apply: async (input) => {
        throw new CapabilityError("permanent", "broken", `cannot take ${input.text}`);
      },
    }),
    defineCapability({
      ...write,
      name: "notes.lose",
      idempotency: "none",
      summary: "Append a note, and lose the answer",
      apply: async () => {
        throw new CapabilityError("ambiguous", "no-answer", "nobody answered");
      },
    }),
    defineCapability({
      ...write,
      name: "notes.form",
      summary: "Fill in a form",
      risk: "high",
      input: z.object({
        title: z.string(),
        copies: z.int(),
        bold: z.boolean(),
        colour: z.enum(["red", "green"]),
        box: z.object({ width: z.number(), note: z.string().optional() }),
        tags: z.array(z.string()).optional(),
      }),
      apply: async () => ({}),
    }),
    defineCapability({
      name: "billing.refund",
      version: 1,
      summary: "Refund a payment",
      effect: "write",
      risk: "high",
      idempotency: "keyed",
      input: z.object({ payment: z.string(), cents: z.int().positive() }),
      output: z.object({ refund: z.string(), for: z.string() }),
      sensitive: ["payment"],
      preview: async (input) => ({
        changes: [
          { kind: "update", target: `payment:${input.payment}`, summary: `Refund ${input.cents} cents` },
        ],
        basis: { status: notes.status },
      }),
      headline: ({ payment, cents }) => `Refund €${(cents / 100).toFixed(2)} of ${payment}`,
      apply: async (input) => {
        notes.refunded.push(input.payment);
        return { refund: "re_1", for: input.payment };
      },
    }),
  ]);
}

/** Creates capabilities for notes on a board, each with a preview and an undo. */
function createPinCapabilities(notes: TestNotes) {
  const write = { version: 1, effect: "write", idempotency: "natural" } as const;
  const place = z.object({ place: z.string() });
  const looked = (place: string, kind: "update" | "delete", summary?: string) => ({
    changes: [{ kind, target: place, ...(summary !== undefined && { summary }) }],
    basis: notes.pinned.get(place) ?? null,
  });
  return [
    defineCapability({
      ...write,
      name: "notes.pin",
      summary: "Pin a note to the board",
      input: place.extend({ text: z.string() }),
      output: place.extend({ was: z.string().nullable() }),
      preview: async ({ place, text }) => looked(place, "update", text),
      apply: async ({ place, text }) => {
        if (text === "") throw new CapabilityError("permanent", "empty", "an empty note does not stick");
        const was = notes.pinned.get(place) ?? null;
        notes.pinned.set(place, text);
        return { place, was };
      },
      undo: ({ place }, { was }) =>
        was === null
          ? { capability: "notes.unpin", input: { place } }
          : { capability: "notes.pin", input: { place, text: was } },
    }),
    defineCapability({
      ...write,
      name: "notes.unpin",
      summary: "Take a note off the board",
      input: place,
      output: z.object({}),
      preview: async ({ place }) => looked(place, "delete"),
      apply: async ({ place }) => {
        notes.pinned.delete(place);
        return {};
      },
    }),
  ];
}

/** Creates capabilities that replace a text and preview a diff, one of medium and one of high risk. */
function createRewriteCapabilities(write: {
  version: 1;
  effect: "write";
  idempotency: "natural";
  input: typeof textSchema;
  output: z.ZodObject;
}) {
  return (["medium", "high"] as const).map((risk) =>
    defineCapability({
      ...write,
      name: risk === "high" ? "notes.overwrite" : "notes.rewrite",
      summary: "Rewrite a note",
      risk,
      preview: async (input) => ({
        changes: [{ kind: "update", target: "a note", diff: input.text }],
        basis: null,
      }),
      apply: async () => ({}),
    }),
  );
}

const guard: Guard = {
  id: "high-risk-needs-a-person",
  ruling: "ask",
  quorum: 1,
  urgency: "high",
  sentence: "What is of high risk needs a person.",
};

/** A policy that asks approvers about high risk and rewriting, blocks `notes.forbidden` and allows everything else. */
export const testPolicy: Policy = { current: () => testPolicySet, refresh: async () => {} };

const testPolicySet: PolicySet = {
  version: "test",
  guards: new Map([[guard.id, guard]]),
  unattended: new Set(["all"]),
  readsEnvironment: () => false,
  evaluate({ contract, discharged }) {
    if (contract.name === "notes.forbidden") return { decision: "deny", policies: [], errors: [] };
    const asked = contract.risk === "high" || contract.name === "notes.rewrite";
    const asks = asked && !discharged.includes(guard.id);
    return { decision: asks ? "deny" : "allow", policies: asks ? [guard.id] : ["all"], errors: [] };
  },
};
