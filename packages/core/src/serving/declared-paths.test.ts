import fc from "fast-check";
import { expect, it } from "vitest";
import { costPath, lockTemplate, readDeclaredCost, readDeclaredLocks } from "./declared-paths.ts";

it("a lock template yields every key that equivalent code names, sorted and without duplicates", () => {
  const names = fc.array(fc.record({ id: fc.string(), n: fc.nat() }), { maxLength: 5 });
  fc.assert(
    fc.property(fc.string(), fc.boolean(), names, (payment, live, items) => {
      const input = { payment, account: { live }, items };
      const code = [`payment:${payment}`, ...items.map(({ id, n }) => `${id}/${n}?${live}`)];
      const locks = ["payment:{payment}", "{items.*.id}/{items.*.n}?{account.live}"];
      const all = readDeclaredLocks({ locks }, input);
      // A template with two stars locks every pair of values, so the keys always include those that the code names.
      expect(code.every((key) => all.includes(key))).toBe(true);
      expect(all).toEqual([...new Set(all)].sort());
      expect(readDeclaredLocks({ locks: ["{items.*.id}"] }, input)).toEqual(
        [...new Set(items.map(({ id }) => id))].sort(),
      );
    }),
    { numRuns: 200 },
  );
});

it.each<[string, object]>([
  ["{a}", {}],
  ["{a}", { a: null }],
  ["{a}", { a: { b: 1 } }],
  ["{a}", { a: [1] }],
  ["{a.b}", { a: "text" }],
  ["{a.*}", { a: { b: 1 } }],
  ["{length}", []],
  ["{toString}", {}],
  ["{__proto__}", {}],
  ["{a.*}{a.*}{a.*}", { a: Array.from({ length: 11 }, (_, n) => n) }],
])("[P11] %s cannot be read from %j, so Paraph does not admit the call", (template, input) => {
  expect(() => readDeclaredLocks({ locks: [template] }, input as never)).toThrow("cannot read");
});

it("[P11] Paraph does not admit a call whose declared cost is missing or not a number", () => {
  expect(readDeclaredCost({ cost: "amount.cents" }, { amount: { cents: 7 } })).toBe(7);
  expect(readDeclaredCost({ cost: 5 }, {})).toBe(5);
  expect(readDeclaredCost({}, {})).toBe(0);
  expect(() => readDeclaredCost({ cost: "cents" }, { cents: "7" })).toThrow("cannot read");
  expect(() => readDeclaredCost({ cost: "cents" }, {})).toThrow("cannot read");
});

it("the patterns accept valid lock templates and cost paths, and reject invalid ones", () => {
  const good = ["a", "a:{b}", "{a.b}-{c.*.d}", "{a_b}", "{a-b}"];
  const bad = ["", "{", "}", "{}", "{a", "a}", "{a..b}", "{.a}", "{a b}", "{{a}}", `${"a".repeat(201)}`];
  expect(good.filter((each) => !lockTemplate.test(each))).toEqual([]);
  expect(bad.filter((each) => lockTemplate.test(each))).toEqual([]);
  expect(["a", "a.b"].every((each) => costPath.test(each))).toBe(true);
  expect(["", "a.*", "{a}", "1"].some((each) => costPath.test(each))).toBe(false);
});
