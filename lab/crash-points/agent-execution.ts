import type { OutsideControl } from "./scenario.ts";
import type { ScenarioRun, StartedCall } from "./scenario-run.ts";

/**
 * Runs two calls that the agent performs itself. The agent claims, performs and reports the first call. The second call
 * is approved and claimed, and the agent reports that it did not perform it.
 */
export function playAgentExecution(story: ScenarioRun, world: OutsideControl): Promise<unknown>[] {
  return [
    (async () => {
      const started = await story.begin("own", "own.none");
      await performAsAgent(started, "succeeded", story, world);
    })(),
    (async () => {
      const started = await story.begin("own-asked", "own_asked.none");
      await story.decide(started, "approve");
      await performAsAgent(started, "not-performed", story, world);
    })(),
  ];
}

async function performAsAgent(
  started: StartedCall,
  as: "succeeded" | "not-performed",
  story: ScenarioRun,
  world: OutsideControl,
): Promise<void> {
  const { call, key } = started;
  const claimToken = `ticket-of-${key}`;
  let view = await story.getCall(started, 5);
  while (view.state !== "offered" && view.state !== "closed") view = await story.getCall(started, 5);
  const { status, body } = await story.client.act("agent", { kind: "claim", call, claimToken });
  if (status === 200 && body.perform) {
    if (as === "succeeded") await world.perform(call, story.name("own"));
    // The report comes too late if a process was down for longer than the claim lasts. The outcome is then unknown.
    await story.client.act("agent", { kind: "report", call, claimToken, as });
  }
  await story.waitForEnd(started);
}
