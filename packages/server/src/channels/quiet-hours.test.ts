import { describe, expect, it } from "vitest";
import { findQuietEnd } from "./quiet-hours.ts";

const night = { from: 22 * 60, until: 7 * 60, timeZone: "Europe/Berlin", pierce: "high" } as const;
const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);
const end = (time: string, urgency: "normal" | "high" | "critical" = "normal", quiet = night) => {
  const found = findQuietEnd(quiet, urgency, at(time));
  return found === undefined ? undefined : new Date(found).toISOString().slice(5, 16);
};

describe("quiet hours", () => {
  it("hold a notice until they end, in the person's time zone and across midnight", () => {
    expect(end("20:59:30")).toBe(undefined);
    expect(end("21:00:30")).toBe("03-03T06:00");
    expect(end("05:59:59")).toBe("03-02T06:00");
    expect(end("06:00:00")).toBe(undefined);
  });

  it("do not hold a notice of the urgency that the person lets through, or of a higher one", () => {
    expect(end("23:00:00", "high")).toBe(undefined);
    expect(end("23:00:00", "critical")).toBe(undefined);
    const critical = { ...night, pierce: "critical" as const };
    const none = { ...night, pierce: "none" as const };
    expect(findQuietEnd(critical, "high", at("23:00:00"))).toBeDefined();
    expect(findQuietEnd(none, "critical", at("23:00:00"))).toBeDefined();
  });
});
