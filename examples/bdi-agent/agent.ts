// An agent with beliefs, desires and intentions. Every intention is a plan that Paraph rules on, and every outcome
// changes the beliefs from which the next plan follows.
import type { CallResult, ParaphClient, PlanOutput } from "@paraph/sdk";
import {
  type Beliefs,
  believeEnding,
  believeObservations,
  commitGoal,
  type Ending,
  noBeliefs,
  type Observed,
  type Pursuit,
  resumeBeliefs,
  toCompressedState,
} from "./beliefs.ts";
import { buildPlan, listDesires, listWays, type Planner } from "./planner.ts";

interface AgentDeps {
  readonly client: ParaphClient;
  readonly session: string;
  readonly planner: Planner;
  /** Returns the observations after this number. */
  readonly observe: (after: number) => Promise<readonly Observed[]>;
  /** Reports each intention and its outcome. */
  readonly report: (line: string) => void;
}

export class BdiAgent {
  #beliefs: Beliefs = noBeliefs;
  readonly #deps: AgentDeps;

  private constructor(deps: AgentDeps) {
    this.#deps = deps;
  }

  /** Starts the agent from the snapshot of its session. In a new session, it believes nothing. */
  static async resume(deps: AgentDeps): Promise<BdiAgent> {
    const agent = new BdiAgent(deps);
    agent.#beliefs = resumeBeliefs(await deps.client.session(deps.session));
    return agent;
  }

  get beliefs(): Beliefs {
    return this.#beliefs;
  }

  /** Reads what the adapters observed since the last time. */
  async perceive(): Promise<void> {
    this.#beliefs = believeObservations(this.#beliefs, await this.#deps.observe(this.#beliefs.seen));
  }

  /**
   * Pursues the first desire: chooses a way, requests its plan, and returns without waiting for people. Returns false if
   * nothing is left to desire. A plan that is already pursued is not requested again.
   */
  async pursue(): Promise<boolean> {
    if (this.#beliefs.pursuit) return true;
    const [goal] = listDesires(this.#beliefs);
    if (goal === undefined) return false;
    const { client, session, planner, report } = this.#deps;
    const ways = listWays(this.#beliefs, goal);
    if (ways.length === 0) throw new Error(`No way is left for ${goal}.`);
    const outcomes = await client.outcomes({ session });
    const way = goal === commitGoal ? "commit" : await planner({ goal, ways, outcomes });
    report(`intends  ${way} ${goal}`);
    const pursuit: Pursuit = { goal, way };
    const result = await client.plan(buildPlan(this.#beliefs, goal, way), {
      session: { session },
      compressedState: toCompressedState({ ...this.#beliefs, pursuit }),
      purpose: `Reach the goal ${goal}`,
    });
    this.#beliefs = { ...this.#beliefs, pursuit: { ...pursuit, call: result.call } };
    return true;
  }

  /** Waits for the outcome of the pursued plan, and believes it. */
  async conclude(): Promise<void> {
    const { pursuit } = this.#beliefs;
    if (pursuit?.call === undefined) return;
    const ending = toEnding(await this.#deps.client.wait<PlanOutput>(pursuit.call, { timeoutMs: 60_000 }));
    this.#deps.report(`outcome  ${pursuit.way} ${pursuit.goal}: ${ending.kind} (${ending.code})`);
    this.#beliefs = believeEnding(this.#beliefs, pursuit, ending);
  }
}

function toEnding(result: CallResult): Ending {
  if (result.kind === "pending") throw new Error(`The plan ${result.call} is still open.`);
  const { kind, code } = result;
  const instructions = kind === "denied" ? result.instructions : undefined;
  return { kind, code, ...(instructions !== undefined && { instructions }) };
}
