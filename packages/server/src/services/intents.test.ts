import { defineCapability, foundObjects } from "@paraph/core";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../../../../test/support/servers/test-paraph.ts";

/** Creates a finder, and a capability whose object it finds. */
function createShelf(name: string) {
  return [
    defineCapability({
      name: `${name}.find`,
      version: 1,
      summary: "Find books by their title",
      effect: "read",
      idempotency: "natural",
      input: z.strictObject({ words: z.array(z.string()) }),
      output: foundObjects,
      apply: async ({ words }) => ({
        objects: words.includes("many")
          ? ["a", "b"].map((id) => ({ label: `“Many” ${id}`, input: { book: id } }))
          : [{ label: `“${words.join(" ")}”`, input: { book: "book-1" } }],
        cut: words.includes("cut"),
      }),
    }),
    defineCapability({
      name: `${name}.lend`,
      version: 1,
      summary: "Lend a book",
      effect: "write",
      idempotency: "natural",
      input: z.strictObject({ book: z.string() }),
      output: z.null(),
      describedObject: { field: "book", finder: `${name}.find` },
      apply: async () => null,
    }),
  ];
}

const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: ["open", "asked", "blocked"].flatMap(createShelf),
    rules: [
      { capability: "asked.find", ask: "librarians" },
      { capability: "blocked.find", block: true },
    ],
  },
  [{ tenant: "acme", id: "ana", kind: "person" }],
);
afterAll(() => paraph.stop());

const understand = async (words: string, more: object = {}) =>
  (await paraph.request("ana", "POST", "/v1/intents", { words, ...more })).body;
const listCalls = () => paraph.database.query("select capability, principal, state from paraph.call");
beforeEach(async () => {
  await paraph.database.query("truncate paraph.call cascade");
});

describe("[TRUST 35] a lookup is a read of the requester, and only if policy allows it", () => {
  it("finds the object with a recorded call, and the plan names the object", async () => {
    const { plan } = await understand("open.lend moby dick");
    expect(plan.steps[0].input.$literal).toEqual({ book: "book-1" });
    expect(await listCalls()).toEqual([{ capability: "open.find", principal: "ana", state: "closed" }]);
  });

  it.each(["asked", "blocked"])(
    "asks the requester, and requests nothing, if the read is %s",
    async (name) => {
      expect(await understand(`${name}.lend moby dick`)).toMatchObject({ kind: "question" });
      expect(await listCalls()).toEqual([]);
    },
  );

  it("asks which object is meant, and takes no list that is cut", async () => {
    const { questions, steps } = await understand("open.lend many books");
    expect(questions).toMatchObject([{ code: "object-ambiguous", options: ["“Many” a", "“Many” b"] }]);
    expect(steps).toEqual([{ capability: "open.lend" }]);
    const answers = [{ step: 1, field: questions[0].field, value: "“Many” b" }];
    const { plan } = await understand("open.lend many books", { answers });
    expect(plan.steps[0].input.$literal).toEqual({ book: "b" });
    expect(await understand("open.lend cut")).toMatchObject({ questions: [{ code: "object-unknown" }] });
  });
});
