import type { LabClient } from "../lab-client.ts";
import { playAgentExecution } from "./agent-execution.ts";
import { playDecisions } from "./decisions.ts";
import { playFindings } from "./findings.ts";
import { playPlans } from "./plans.ts";
import { ScenarioRun } from "./scenario-run.ts";

/** What others do meanwhile. */
export interface OutsideControl {
  /** Moves a name's basis in the outside world. */
  touch(name: string): Promise<void>;
  /** From now on the outside world can tell what became of this name. */
  clear(name: string): Promise<void>;
  /** Does what the agent does itself, for this call. */
  perform(call: string, name: string): Promise<void>;
  freeze(id: string, capability: string): Promise<void>;
  thaw(id: string): Promise<void>;
}

/** The grant that the scenario's calls may use: see `granted-…`. */
export const scenarioGrant = {
  id: "grant_scenario",
  capability: "asked.natural",
  bounds: { name: { startsWith: "granted-" } },
  countLeft: 1_000_000,
} as const;

/**
 * One of everything that a call can live through: read in place, each kind of idempotency, a refused and a lost attempt,
 * no answer at all, a lock that two want, a check that passes and one that does not, a yes given in advance, a budget;
 * beside that all that people can do about a call, and find out about it; what the agent performs itself; and plans.
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
