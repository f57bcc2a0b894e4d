import { describe, expect, it } from "vitest";
import { buildCallerGuards, type Requirements } from "./requirements.ts";

const asks = { id: "caller:ask", ruling: "ask", sentence: "The requester requires a person's approval." };
const checks = {
  id: "caller:check",
  ruling: "check",
  sentence: "The requester requires checks for this call.",
};

describe("a requester's own demands become guards", () => {
  it.each<[string, Requirements | undefined, readonly object[]]>([
    ["none, if it demands nothing", undefined, []],
    ["none for an urgency alone", { urgency: "high" }, []],
    ["several people", { people: 2 }, [{ ...asks, quorum: 2, urgency: "normal" }]],
    [
      "one member of a group",
      { group: "dba", urgency: "low" },
      [{ ...asks, quorum: 1, urgency: "low", group: "dba" }],
    ],
    ["checks", { checks: ["check.a"] }, [{ ...checks, quorum: 1, urgency: "normal", checks: ["check.a"] }]],
    [
      "people and checks",
      { people: 2, checks: ["check.a"] },
      [
        { ...asks, quorum: 2, urgency: "normal" },
        { ...checks, quorum: 2, urgency: "normal", checks: ["check.a"] },
      ],
    ],
  ])("%s", (_what, requirements, guards) => {
    expect(buildCallerGuards(requirements)).toEqual(guards);
  });
});
