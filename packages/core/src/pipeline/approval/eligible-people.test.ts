import { expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson, testAgent } from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import type { Principal } from "../../principal.ts";
import { filterEligible, selectApprovers } from "./eligible-people.ts";

const toCandidate = (principal: Principal) => ({ principal, delegations: [] });
const everyone = ["owner", "ana", "bo"].map(createPerson).concat(testAgent).map(toCandidate);

it("[TRUST 12] only a person whose approval would count is eligible: no requester, owner, editor or earlier voter", async () => {
  const { ask, edit, decide, ports, clock } = await createMailbox();
  const list = async (call: Call, votes = call.approval!.votes) =>
    (await filterEligible(everyone, call, { ...call.approval!, votes }, ports)).map(
      ({ principal }) => principal.id,
    );
  const asked = await ask();
  expect(await list(asked)).toEqual(["ana", "bo"]);
  const vote = { by: "ana", decision: "approve", as: "approver", at: clock.now() } as const;
  expect(await list(asked, [vote])).toEqual(["bo"]);
  const { call, superseded } = await edit(asked, { to: "b", n: 2 });
  expect([await list(superseded), await list(call)]).toEqual([[], ["bo"]]);
  expect(await list(await decide(call, "deny", createPerson("bo")))).toEqual([]);
  const late = await ask({ input: { to: "c", n: 3 } });
  await clock.advance(late.approval!.expiresAt - clock.now());
  expect(await list(late)).toEqual([]);
});

it("a round asks the groups of its guards, or everyone if a guard names none", async () => {
  const { ask } = await createMailbox();
  const call = await ask();
  const round = call.approval!;
  const [guard] = round.guards;
  expect(selectApprovers(call, round)).toEqual({});
  const inGroups = ["finance", "legal"].map((group) => ({ ...guard!, group }));
  expect(selectApprovers(call, { ...round, guards: inGroups })).toEqual({
    groups: ["finance", "legal"],
    ids: [],
  });
  expect(selectApprovers(call, { ...round, guards: [...inGroups, guard!] })).toEqual({});
});
