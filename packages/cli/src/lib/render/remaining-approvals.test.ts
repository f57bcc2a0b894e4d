import { expect, it } from "vitest";
import type { RoundView } from "../api/api-views.ts";
import { formatRemainingApprovals } from "./remaining-approvals.ts";

const vote = { decision: "approve", as: "approver", at: "2026-03-08T09:00:00.000Z" } as const;
const createRound = (group?: string) =>
  ({
    principal: { id: "bot", kind: "agent", owner: "owner" },
    guards: [{ id: "g", sentence: "Why.", quorum: 2, ...(group && { group }) }],
    votes: [{ ...vote, by: "ana", ...(group && { groups: [group] }) }],
  }) as unknown as RoundView;
const createPerson = (id: string, ...groups: string[]) => ({ id, kind: "person", state: "active", groups });

it("names the people whose approval would count: not the voter, the agent's owner, or people outside of the group", () => {
  const people = [createPerson("owner"), createPerson("ana"), createPerson("bo", "dba"), createPerson("cy")];
  expect(formatRemainingApprovals(createRound(), people)).toBe(
    "Approved so far: ana. Policy requires 2 people. bo or cy can approve it too.",
  );
  expect(formatRemainingApprovals(createRound("dba"), people)).toMatch(
    /2 people of dba\. bo can approve it too\.$/,
  );
});

it("says how to add a person if no other person can approve", () => {
  const people = [createPerson("owner"), createPerson("ana")];
  expect(formatRemainingApprovals(createRound(), people)).toMatch(
    /There is no other person who can approve it\. Invite a person with `paraph invite PERSON`\.$/,
  );
  expect(formatRemainingApprovals(createRound("dba"), people)).toMatch(
    /Add a person with `paraph groups add dba PERSON`\.$/,
  );
  const [outsider] = createRound().votes;
  expect(formatRemainingApprovals({ ...createRound("dba"), votes: [outsider!] }, people)).toMatch(
    /^Approved so far: ana \(not in dba\)\. Policy requires 2 people of dba\. There is no other person/,
  );
  expect(formatRemainingApprovals(createRound(), undefined)).toMatch(/Another person has to approve it\.$/);
});
