import { expect, it } from "vitest";
import { type Duration, isDuration, milliseconds } from "./duration.ts";

it.each<[Duration, number]>([
  ["500ms", 500],
  ["30s", 30_000],
  ["1.5m", 90_000],
  ["24h", 86_400_000],
  ["30d", 2_592_000_000],
])("%s is %d milliseconds", (duration, expected) => {
  expect(milliseconds(duration)).toBe(expected);
  expect(isDuration(duration)).toBe(true);
});

it.each(["soon", "30", "1 h", "-5s", "5w", ""])("rejects %j, and says what a duration looks like", (text) => {
  expect(() => milliseconds(text as Duration)).toThrow(`\`${text}\` is not a duration. Use a value such as`);
  expect(isDuration(text)).toBe(false);
});

it("a span without length is no duration that a person can configure", () => {
  expect(isDuration("0s")).toBe(false);
});
