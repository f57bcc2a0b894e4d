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
  /** Performs the effect of a call that the agent performs itself. */
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
  const { begin, run } = story;
  await Promise.all([
    begin("read", "free.read"),
    ...(["natural", "keyed", "probe", "none"] as const).map((kind) => run(kind, `free.${kind}`)),
    run("flaky", "free.keyed"),
    run("reset", "free.probe"),
    run("expire", "quick.keyed"),
    ...[1, 2].map((n) => run(`lock${n}`, "free.keyed", { lock: story.name("door") })),
    run("checked", "checked.keyed"),
    run("bad", "checked.keyed"),
    run("granted", "asked.natural"),
    run("cheap-keyed", "costly.keyed", { cents: 100 }),
    run("cheap-none", "costly.none", { cents: 100 }),
    run("flaky-costly", "costly.probe", { cents: 100 }),
    ...playDecisions(story, world),
    ...playFindings(story, world),
    ...playAgentExecution(story, world),
    ...playPlans(story),
  ]);
}
