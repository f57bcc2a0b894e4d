import { expect, it } from "vitest";
import { ago, moment, span, until, waitMs } from "./times.ts";

it("says spans as people do", () => {
  expect([12, 3_400, 300_000, 86_340_000, 90_000_000, 6 * 86_400_000].map(span)).toEqual([
    "12 ms",
    "3.4 s",
    "5 min",
    "23 h 59 min",
    "25 h",
    "6 d",
  ]);
  expect(until(1_000, 2_000)).toBe("expired");
  expect(ago(0, 5_400)).toBe("5 s ago");
  expect(moment(Date.parse("2026-03-01T09:30:00.123Z"))).toBe("2026-03-01 09:30:00 UTC");
});

it("reads seconds and durations", () => {
  expect(["0", "1.5", "90s", "5m", "250ms"].map(waitMs)).toEqual([0, 1_500, 90_000, 300_000, 250]);
  expect(() => waitMs("soon")).toThrow(expect.objectContaining({ exitCode: 2 }));
});
