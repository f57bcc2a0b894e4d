import type { OutsideControl } from "./scenario.ts";
import type { ScenarioRun, StartedCall } from "./scenario-run.ts";

/**
 * Runs every decision that people can make: approve, deny, return, and a quorum of two. In other calls, the basis
 * changes, or the call is frozen, edited, withdrawn, reassigned, discussed, or performed under a newer contract.
 */
export function playDecisions(story: ScenarioRun, world: OutsideControl): Promise<unknown>[] {
  const { begin, decide, waitForEnd, approve, name, client } = story;
  return [
    withCall(begin("approve", "asked.probe", { lock: name("gate") }), async (started) => {
      await decide(started, "approve");
      await waitForEnd(started);
    }),
    ...(["deny", "return"] as const).map((no) =>
      withCall(begin(no, "asked.keyed"), async (started) => {
        await decide(started, no);
        await waitForEnd(started);
      }),
    ),
    withCall(begin("paired", "paired.keyed"), (started) => approve(started, "approver", "second")),
    withCall(begin("moved", "asked.keyed"), async (started) => {
      await world.touch(name("moved"));
      await approve(started, "approver");
    }),
    withCall(begin("parked", "asked.none"), async (started) => {
      const freeze = name("freeze");
      await world.freeze(freeze, "asked.none");
      await decide(started, "approve");
      await story.getCall(started, 1);
      await world.thaw(freeze);
      await waitForEnd(started);
    }),
    withCall(begin("edited", "paired.keyed"), (started) => playEdit(started, story)),
    withCall(begin("renewed", "renewed.keyed"), (started) => playRenewal(started, story)),
    withCall(begin("withdrawn", "asked.keyed"), async (started) => {
      await client.act("agent", { kind: "withdraw", call: started.call });
      await waitForEnd(started);
    }),
    withCall(begin("handed", "asked.keyed"), async (started) => {
      const round = await story.findApproval(started);
      if (round)
        await client.act("approver", {
          kind: "reassign",
          approval: round.id,
          digest: round.digest,
          to: "second",
        });
      await approve(started, "second");
    }),
    withCall(begin("discussed", "asked.keyed"), async (started) => {
      const { call, key } = started;
      await client.act("approver", { kind: "say", call, as: "question", key: `${key}-q` });
      await client.act("agent", { kind: "say", call, as: "answer", key: `${key}-a` });
      await approve(started, "approver");
    }),
  ];
}

/**
 * Plays an edit. One of two approvers votes, then an editor changes the call. Paraph asks both approvers about the
 * successor.
 */
async function playEdit(started: StartedCall, story: ScenarioRun): Promise<void> {
  await story.decide(started, "approve");
  const round = await story.findApproval(started);
  if (round) {
    const input = { name: `better-${story.name("edited")}` };
    await story.client.act("editor", { kind: "edit", approval: round.id, digest: round.digest, input });
  }
  await story.waitForEnd(started);
  const startedCall = await story.findSuccessor(started);
  if (startedCall) await story.approve(startedCall, "approver", "second");
}

/**
 * Plays a contract change. An approver votes under the API's contract. The worker has a newer contract, so Paraph asks
 * for approval again under the newer contract.
 */
async function playRenewal(started: StartedCall, story: ScenarioRun): Promise<void> {
  await story.approve(started, "approver");
  const startedCall = await story.findSuccessor(started);
  if (startedCall) await story.approve(startedCall, "approver");
}

const withCall = async (call: Promise<StartedCall>, go: (call: StartedCall) => Promise<unknown>) =>
  go(await call);
