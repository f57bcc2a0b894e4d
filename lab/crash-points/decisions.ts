import type { OutsideControl } from "./scenario.ts";
import type { ScenarioRun, StartedCall } from "./scenario-run.ts";

/**
 * Runs every decision of people: approve, deny, return, and a quorum of two. After or instead of an approval, calls are
 * changed underneath, frozen, edited, withdrawn, reassigned, discussed, or performed under a newer contract.
 */
export function playDecisions(story: ScenarioRun, world: OutsideControl): Promise<unknown>[] {
  const { begin, decide, waitForEnd, approve, name, client } = story;
  return [
    withCall(begin("approve", "asked.probe", { lock: name("gate") }), async (asked) => {
      await decide(asked, "approve");
      await waitForEnd(asked);
    }),
    ...(["deny", "return"] as const).map((no) =>
      withCall(begin(no, "asked.keyed"), async (asked) => {
        await decide(asked, no);
        await waitForEnd(asked);
      }),
    ),
    withCall(begin("paired", "paired.keyed"), (asked) => approve(asked, "approver", "second")),
    withCall(begin("moved", "asked.keyed"), async (asked) => {
      await world.touch(name("moved"));
      await approve(asked, "approver");
    }),
    withCall(begin("parked", "asked.none"), async (asked) => {
      const freeze = name("freeze");
      await world.freeze(freeze, "asked.none");
      await decide(asked, "approve");
      await story.getCall(asked, 1);
      await world.thaw(freeze);
      await waitForEnd(asked);
    }),
    withCall(begin("edited", "paired.keyed"), (asked) => playEdit(asked, story)),
    withCall(begin("renewed", "renewed.keyed"), (asked) => playRenewal(asked, story)),
    withCall(begin("withdrawn", "asked.keyed"), async (asked) => {
      await client.act("agent", { kind: "withdraw", call: asked.call });
      await waitForEnd(asked);
    }),
    withCall(begin("handed", "asked.keyed"), async (asked) => {
      const round = await story.findApproval(asked);
      if (round)
        await client.act("approver", {
          kind: "hand-over",
          approval: round.id,
          digest: round.digest,
          to: "second",
        });
      await approve(asked, "second");
    }),
    withCall(begin("discussed", "asked.keyed"), async (asked) => {
      const { call, key } = asked;
      await client.act("approver", { kind: "say", call, as: "question", key: `${key}-q` });
      await client.act("agent", { kind: "say", call, as: "answer", key: `${key}-a` });
      await approve(asked, "approver");
    }),
  ];
}

/** One of two approvers votes, then an editor changes the call. Paraph asks both approvers about the successor. */
async function playEdit(asked: StartedCall, story: ScenarioRun): Promise<void> {
  await story.decide(asked, "approve");
  const round = await story.findApproval(asked);
  if (round) {
    const input = { name: `better-${story.name("edited")}` };
    await story.client.act("editor", { kind: "edit", approval: round.id, digest: round.digest, input });
  }
  await story.waitForEnd(asked);
  const heir = await story.findSuccessor(asked);
  if (heir) await story.approve(heir, "approver", "second");
}

/**
 * An approver votes under the contract of the API. The worker has a newer contract, so Paraph asks again under that
 * one.
 */
async function playRenewal(asked: StartedCall, story: ScenarioRun): Promise<void> {
  await story.approve(asked, "approver");
  const heir = await story.findSuccessor(asked);
  if (heir) await story.approve(heir, "approver");
}

const withCall = async (call: Promise<StartedCall>, go: (call: StartedCall) => Promise<unknown>) =>
  go(await call);
