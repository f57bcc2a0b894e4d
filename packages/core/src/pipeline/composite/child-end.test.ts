import { expect, it } from "vitest";
import type { Child } from "../../call.ts";
import { latestChildren } from "./child-end.ts";

const child = (call: string, step: string, over: Partial<Child> = {}): Child => ({
  call,
  step,
  state: "closed",
  capability: "notes.write",
  requestDigest: "d",
  lockKeys: [],
  ...over,
});

it("[P6] [P13] the successor of an edited step counts as the step, in whichever order the calls are listed", () => {
  const [edited, successor] = [child("old", "a"), child("new", "a", { state: "asking", supersedes: "old" })];
  const other = child("b1", "b");
  for (const listed of [
    [edited, successor, other],
    [successor, edited, other],
  ]) {
    expect(latestChildren(listed).map(({ call }) => call)).toEqual(["new", "b1"]);
  }
});
