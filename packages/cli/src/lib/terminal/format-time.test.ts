import { expect, it } from "vitest";
import { formatDuration, formatTimeAgo, formatTimestamp, formatTimeUntil, parseWait } from "./format-time.ts";

it("formats durations, relative times and timestamps for people", () => {
  expect([12, 3_400, 300_000, 86_340_000, 90_000_000, 6 * 86_400_000].map(formatDuration)).toEqual([
    "12 ms",
    "3.4 s",
    "5 min",
    "23 h 59 min",
    "25 h",
    "6 d",
  ]);
  expect(formatTimeUntil(1_000, 2_000)).toBe("expired");
  expect(formatTimeAgo(0, 5_400)).toBe("5 s ago");
  expect(formatTimestamp(Date.parse("2026-03-01T09:30:00.123Z"))).toBe("2026-03-01 09:30:00 UTC");
});

it("parses seconds and durations, and rejects other text with exit code 2", () => {
  expect(["0", "1.5", "90s", "5m", "250ms"].map(parseWait)).toEqual([0, 1_500, 90_000, 300_000, 250]);
  expect(() => parseWait("soon")).toThrow(expect.objectContaining({ exitCode: 2 }));
});
