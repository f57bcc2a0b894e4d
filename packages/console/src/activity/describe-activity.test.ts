import { describe, expect, it } from "vitest";
import type { Activity } from "../api/types.ts";
import { describeActivity } from "./describe-activity.ts";

const entry = (more: Partial<Activity> & Pick<Activity, "kind">): Activity => ({
  id: "call_1.4",
  at: "2026-03-01T09:32:11.000Z",
  call: "call_1",
  capability: "shop.refund",
  principal: "support-bot",
  ...more,
});

describe("describeActivity", () => {
  it("names who voted, and says nothing about how, because the log does not record it", () => {
    expect(describeActivity(entry({ kind: "approve", by: "bo", declined: ["notify"] }))).toEqual([
      "bo approved",
      ["Left out: notify"],
    ]);
    expect(describeActivity(entry({ kind: "approve", by: "ana", as: "confirmation" }))[0]).toBe(
      "ana confirmed",
    );
    expect(describeActivity(entry({ kind: "deny", by: "bo" }))).toEqual(["bo denied", []]);
  });

  it("describes every other kind in the words of the timeline", () => {
    const titles = (
      [
        { kind: "ask", round: 2 },
        { kind: "reassign", by: "bo", to: "eva" },
        { kind: "reveal", by: "bo" },
        { kind: "withdraw", by: "support-bot" },
        { kind: "begin" },
        { kind: "apply", outcome: "succeeded", code: "done" },
        { kind: "undo", outcome: "failed", code: "gone", undoes: "call_0" },
        { kind: "end", outcome: "expired", code: "unanswered", plan: "call_9", step: "pay" },
        { kind: "resolve", by: "bo", finding: "happened" },
      ] as const
    ).map((more) => describeActivity(entry(more)));
    expect(titles.map(([title]) => title)).toEqual([
      "Paraph asked for approval",
      "bo reassigned the approval to eva",
      "Hidden fields were revealed",
      "The call was withdrawn",
      "The steps began",
      "The call succeeded",
      "The call failed",
      "The call expired",
      "bo found out that it happened",
    ]);
    expect(titles[2]![1]).toEqual(["By bo"]);
    expect(titles[6]![1]).toContain("Undoes call_0");
    expect(titles[7]![1]).toContain("Step pay of call_9");
  });
});
