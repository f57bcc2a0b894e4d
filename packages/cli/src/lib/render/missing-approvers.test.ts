import { expect, it } from "vitest";
import { describeUnreachablePeople } from "./missing-approvers.ts";

const person = (id: string, groups: string[], channels?: string[]) => ({
  id,
  kind: "person",
  groups,
  ...(channels && { channels }),
});
const rule = (more: object) => ({ id: "rule-1", file: "rules", line: 1, shadow: false, quorum: 1, ...more });
const people = [
  person("ana", ["finance"], ["mail"]),
  person("bo", ["finance"], []),
  person("cy", ["support"], []),
];
const describePeople = (policies: readonly object[], among: readonly object[] = people) =>
  describeUnreachablePeople({ policies } as never, among as never);

it("names the people whom no channel reaches, if a policy asks them", () => {
  const text = (count: number, names: string) =>
    `no channel reaches ${count} of the people who can approve: ${names}`;
  expect(describePeople([rule({ group: "finance" })])).toBe(text(1, "bo"));
  expect(describePeople([rule({})])).toBe(text(2, "bo, cy"));
  expect(describePeople([])).toBe(text(2, "bo, cy"));
  expect(describePeople([rule({ group: "leads" })])).toBeUndefined();
  const many = Array.from({ length: 8 }, (_, index) => person(`p${index}`, [], []));
  expect(describePeople([], many)).toBe(text(8, "p0, p1, p2, p3, p4 and 3 more"));
});

it("says nothing if no channel is configured", () => {
  expect(describePeople([], [person("ana", [])])).toBeUndefined();
});
