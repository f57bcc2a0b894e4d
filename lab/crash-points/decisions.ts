import type { OutsideControl } from "./scenario.ts";
import type { ScenarioRun, StartedCall } from "./scenario-run.ts";

/**
 * All that people answer: yes, no, not like this; by two of them; about something that moves after the yes, is frozen
 * after it, edited, taken back, handed over, talked about, or known under another contract by the time it is performed.
 */
export function playDecisions(story: ScenarioRun, world: OutsideControl): Promise<unknown>[] {
  const { begin, decide, waitForEnd: end, approve, name, client } = story;
  return [
    withCall(begin("approve", "asked.probe", { lock: name("gate") }), async (asked) => {
      await decide(asked, "approve");
      await end(asked);
    }),
    ...(["deny", "return"] as const).map((no) =>
      withCall(begin(no, "asked.keyed"), async (asked) => {
        await decide(asked, no);
        await end(asked);
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
      await end(asked);
    }),
    withCall(begin("edited", "paired.keyed"), (asked) => playEdit(asked, story)),
    withCall(begin("renewed", "renewed.keyed"), (asked) => playRenewal(asked, story)),
    withCall(begin("withdrawn", "asked.keyed"), async (asked) => {
      await client.act("agent", { kind: "withdraw", call: asked.call });
      await end(asked);
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

/** A yes by one of the two who are needed, then an edit by the other: about the successor both are asked anew. */
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

/** Approved under the contract that the API knows; the worker knows a later one, and has it asked again under that. */
async function playRenewal(asked: StartedCall, story: ScenarioRun): Promise<void> {
  await story.approve(asked, "approver");
  const heir = await story.findSuccessor(asked);
  if (heir) await story.approve(heir, "approver");
}

const withCall = async (call: Promise<StartedCall>, go: (call: StartedCall) => Promise<unknown>) =>
  go(await call);
