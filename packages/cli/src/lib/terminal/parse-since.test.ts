import { expect, it } from "vitest";
import { parseSince } from "./parse-since.ts";

const now = Date.parse("2026-03-01T09:30:00Z");

it("parses a time span or a date as a time in the past", () => {
  expect(parseSince("30m", now)).toBe("2026-03-01T09:00:00.000Z");
  expect(parseSince("24h", now)).toBe("2026-02-28T09:30:00.000Z");
  expect(parseSince("1.5d", now)).toBe("2026-02-27T21:30:00.000Z");
  expect(parseSince("2w", now)).toBe("2026-02-15T09:30:00.000Z");
  expect(parseSince("2026-02-01", now)).toBe("2026-02-01T00:00:00.000Z");
  expect(parseSince("2026-02-01T10:00:00+01:00", now)).toBe("2026-02-01T09:00:00.000Z");
});

it("rejects a value that is neither a time span nor a date, or is not in the past", () => {
  for (const text of ["", "soon", "30", "30y", "-1d", "2027-01-01", "2026-02-31x", "99999d"])
    expect(() => parseSince(text, now)).toThrow(/not a time in the past/);
});
