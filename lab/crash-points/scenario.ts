import type { LabClient } from "../lab-client.ts";
import { playAgentExecution } from "./agent-execution.ts";
import { playDecisions } from "./decisions.ts";
import { playFindings } from "./findings.ts";
import { playPlans } from "./plans.ts";
import { ScenarioRun } from "./scenario-run.ts";

/** The actions that other clients take while the scenario runs. */
export interface OutsideControl {
  /** Changes the basis of a name at the oracle. */
  touch(name: string): Promise<void>;
  /** Lets probes of this name give a definite result from now on. */
  clear(name: string): Promise<void>;
  /** Performs the agent's own effect for this call. */
  perform(call: string, name: string): Promise<void>;
  freeze(id: string, capability: string): Promise<void>;
  thaw(id: string): Promise<void>;
}

/** The grant that calls with a name of the form `granted-…` may use. */
export const scenarioGrant = {
  id: "grant_scenario",
  capability: "asked.natural",
  bounds: { name: { startsWith: "granted-" } },
  countLeft: 1_000_000,
} as const;

/**
 * Runs one call of every kind:
 * - a read, each kind of idempotency, a failed attempt, a lost attempt and a call that expires;
 * - a lock that two calls need, a check that passes and one that fails, a grant and a budget;
 * - every decision of people and every resolution of an unknown outcome;
 * - calls that the agent performs itself, and plans.
 */
export async function playScenario(client: LabClient, prefix: string, world: OutsideControl): Promise<void> {
  const story = new ScenarioRun(client, prefix);
  const { begin, run: whole } = story;
  await Promise.all([
    begin("read", "free.read"),
    ...(["natural", "keyed", "probe", "none"] as const).map((kind) => whole(kind, `free.${kind}`)),
    whole("flaky", "free.keyed"),
    whole("reset", "free.probe"),
    whole("expire", "quick.keyed"),
    ...[1, 2].map((n) => whole(`lock${n}`, "free.keyed", { lock: story.name("door") })),
    whole("checked", "checked.keyed"),
    whole("bad", "checked.keyed"),
    whole("granted", "asked.natural"),
    whole("cheap-keyed", "costly.keyed", { cents: 100 }),
    whole("cheap-none", "costly.none", { cents: 100 }),
    whole("flaky-costly", "costly.probe", { cents: 100 }),
    ...playDecisions(story, world),
    ...playFindings(story, world),
    ...playAgentExecution(story, world),
    ...playPlans(story),
  ]);
}
