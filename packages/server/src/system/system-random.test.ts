import { expect, it } from "vitest";
import { systemRandom } from "./system-random.ts";

it("returns no salt and no id twice across many refills of its pool", () => {
  const salts = Array.from({ length: 5_000 }, () => systemRandom.salt());
  const ids = Array.from({ length: 5_000 }, () => systemRandom.id("call"));
  expect(new Set([...salts, ...ids]).size).toBe(10_000);
  for (const salt of salts) expect(salt).toMatch(/^[0-9a-f]{32}$/);
  // A random salt holds twelve zeros in a row once in billions of runs.
  expect(salts.filter((salt) => /0{12}/.test(salt))).toEqual([]);
});
