import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pathText, schemaFaults } from "./schema-faults.ts";

const rule = z.strictObject({
  capability: z.string(),
  ruling: z.enum(["permit", "ask", "deny"]).default("permit"),
  limits: z.array(z.strictObject({ per: z.literal("day"), cents: z.int() })).optional(),
  when: z
    .record(z.string().regex(/^input\./, "must begin with `input.`"), z.strictObject({ is: z.string() }))
    .optional(),
});
const schema = z.strictObject({
  rules: z.array(rule).optional(),
  database: z.union([z.string(), z.strictObject({ url: z.string() })]).optional(),
  next: z.lazy(() => z.strictObject({ name: z.string() })).optional(),
  port: z.int().transform(String).optional(),
});

/** Returns the faults as people read them. */
function faultsOf(value: unknown): readonly string[] {
  return schemaFaults(schema, value).map(({ path, message }) => `${pathText(path)}${message}`);
}

it("a valid value has no faults", () => {
  expect(faultsOf({ rules: [{ capability: "a.b" }], database: "postgres://" })).toEqual([]);
});

describe("a fault names the place and the remedy, and never the value", () => {
  it.each<[string, unknown, string]>([
    ["a misspelt key", { ruels: [] }, "ruels is not a known key. Did you mean `rules`?"],
    [
      "a key that is like no other",
      { rules: [{ capability: "a.b", colour: "red" }] },
      "rules[0].colour is not a known key. Known keys: `capability`, `ruling`, `limits`, `when`.",
    ],
    [
      "a key inside a list inside an optional list",
      { rules: [{ capability: "a.b", limits: [{ per: "day", cents: 1, cnets: 2 }] }] },
      "rules[0].limits[0].cnets is not a known key. Did you mean `cents`?",
    ],
    [
      "a key inside a record",
      { rules: [{ capability: "a.b", when: { "input.x": { is: "a", iss: "b" } } }] },
      "rules[0].when.input.x.iss is not a known key. Did you mean `is`?",
    ],
    [
      "a key behind a recursive schema",
      { next: { name: "a", nmae: "b" } },
      "next.nmae is not a known key. Did you mean `name`?",
    ],
    [
      "a misspelt word",
      { rules: [{ capability: "a.b", ruling: "aks" }] },
      'rules[0].ruling: expected one of "permit", "ask", "deny". Did you mean "ask"?',
    ],
    [
      "a value that is no word",
      { rules: [{ capability: "a.b", ruling: 7 }] },
      'rules[0].ruling: expected one of "permit", "ask", "deny".',
    ],
    [
      "the only word",
      { rules: [{ capability: "a.b", limits: [{ per: "month", cents: 1 }] }] },
      'rules[0].limits[0].per: expected "day".',
    ],
    [
      "a name in a record",
      { rules: [{ capability: "a.b", when: { amount: { is: "a" } } }] },
      "rules[0].when.amount: the name must begin with `input.`",
    ],
    ["another type", { port: "canary" }, "port: expected number, received string"],
    ["a whole value of another type", "canary", ": expected object, received string"],
    ["no form of a union", { database: 7 }, "database: Invalid input"],
    [
      "a misspelt key in one form of a union",
      { database: { url: "a", ulr: "b" } },
      "database.ulr is not a known key. Did you mean `url`?",
    ],
    [
      "a fault inside the only form that fits",
      { database: { url: 7 } },
      "database.url: expected string, received number",
    ],
  ])("%s", (_what, value, fault) => {
    expect(faultsOf(value)).toEqual([fault]);
    expect(faultsOf(value).join()).not.toContain("canary");
  });

  it("a union with its own message says only that message", () => {
    const own = z.union(
      [z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })],
      "give `a` or `b`",
    );
    expect(schemaFaults(own, { a: 1 })).toEqual([{ path: [], message: ": give `a` or `b`" }]);
  });

  it("a misspelt key that no form of a union has is compared with the keys of all forms", () => {
    const forms = z.union([
      z.strictObject({ url: z.string() }),
      z.strictObject({ url: z.string(), pool: z.int().optional() }),
    ]);
    expect(schemaFaults(forms, { url: "a", pol: 1 })).toEqual([
      { path: ["pol"], message: " is not a known key. Did you mean `pool`?" },
    ]);
  });

  it("an object without keys knows none", () => {
    expect(schemaFaults(z.strictObject({}), { a: 1 })).toEqual([
      { path: ["a"], message: " is not a known key. Known keys: none." },
    ]);
  });

  it("numbers in a list of words are named as they are", () => {
    expect(schemaFaults(z.literal([1, 2]), "x")).toEqual([{ path: [], message: ": expected one of 1, 2." }]);
  });
});
