import type { PlanRequest } from "@paraph/core";
import { postUntilAnswered, type TestAgent, type TestServers } from "../support/servers/test-servers.ts";
import {
  applyPlanAction,
  applyPlanTime,
  buildModelUndo,
  createModelPlan,
  type DrawnPlan,
  type ModelPlan,
  type ModelStepKind,
  type PlanAction,
  pickSteps,
} from "./model.ts";

interface Row {
  /**
   * The state of the plan, followed by the waiting step or the outcome, such as `asking`, `composing s2` or `closed
   * succeeded done`.
   */
  readonly stands: string;
  readonly yes: number;
  readonly approval: string | null;
  readonly digest: string | null;
}

interface Live {
  readonly call: string;
  /** The ids of the plan's steps. The sequence uses them to compare the rows with the model. */
  readonly ids: readonly string[];
}

/**
 * A sequence of one agent's plans and a model of these plans. Every difference between the two is recorded as a fault.
 */
export class PlanSequence {
  readonly faults: string[] = [];
  /** The situations that occurred, in words that tests can check. */
  readonly coverage = new Set<string>();
  /** Every plan that was requested, with its state in the model. */
  readonly plans = new Map<string, { readonly live: Live; readonly model: ModelPlan }>();
  readonly #stage: TestServers;
  readonly #agent: TestAgent;
  #live: Live | undefined;
  #placed = 0;

  constructor(servers: TestServers, agent: TestAgent) {
    this.#stage = servers;
    this.#agent = agent;
  }

  async perform(action: PlanAction): Promise<void> {
    // Stops after the first difference, because all later differences only repeat it.
    if (this.faults.length > 0) return;
    const { now } = this.#stage;
    const model = this.#live && this.plans.get(this.#live.call)?.model;
    if (action.kind === "place") {
      if (model === undefined || model.state === "closed") await this.#place(action.plan);
      return;
    }
    if (!this.#live || !model) return;
    if (action.kind === "undo") return this.#undo(this.#live, model);
    const answer = await this.#request(action, this.#live, model);
    const expected = applyPlanAction(model, action, now());
    if (!answer.repeated && answer.status < 300 !== expected.taken)
      this.faults.push(`${JSON.stringify(action)} on ${describeModel(model)} was answered ${answer.status}`);
    await this.#becomes(this.#live, expected.plan, JSON.stringify(action));
  }

  /** Applies the passage of time to all plans. */
  async pass(): Promise<void> {
    if (this.faults.length > 0) return;
    for (const { live, model } of this.plans.values())
      if (model.state !== "closed")
        await this.#becomes(live, applyPlanTime(model, this.#stage.now()), "time passed");
  }

  /** Returns the outcome of each step of a plan, according to the rows, and the number of its effects. */
  async steps({ call, ids }: Live): Promise<ReadonlyMap<string, { outcome: string; effects: number }>> {
    const { rows } = await this.#stage.rows.query(
      "select id, step, outcome from paraph.call where tenant = 'acme' and parent = $1 and outcome <> 'superseded'",
      [call],
    );
    const { oracle } = this.#stage;
    return new Map(
      rows.map(({ id, step, outcome }) => [
        ids.includes(step) ? String(ids.indexOf(step)) : "back",
        { outcome: String(outcome), effects: oracle.listEffects(String(id)).length },
      ]),
    );
  }

  async #place(plan: DrawnPlan): Promise<void> {
    const name = `${this.#agent.id}-${++this.#placed}`;
    const document = buildDocument(plan, name);
    const { body } = await postUntilAnswered(
      ...([this.#stage, this.#agent.key, "/v1/plans", { plan: document }] as const),
      { "idempotency-key": name },
    );
    await this.#follow(body, plan, "placed");
  }

  async #undo(live: Live, model: ModelPlan): Promise<void> {
    const back = buildModelUndo(model);
    const answer = await postUntilAnswered(this.#stage, this.#agent.key, `/v1/calls/${live.call}/undo`, {});
    if (answer.status < 300 !== (back !== undefined))
      this.faults.push(`undo of ${describeModel(model)} was answered ${answer.status}`);
    if (back && answer.status < 300 && !this.plans.has(String(answer.body.call)))
      await this.#follow(answer.body, back, "undo");
  }

  async #follow(body: Record<string, unknown>, drawn: DrawnPlan, because: string): Promise<void> {
    const call = String(body.call);
    const ids = await this.#idsOf(call);
    this.#live = { call, ids };
    await this.#becomes(this.#live, createModelPlan(drawn, this.#stage.now()), because);
  }

  async #idsOf(call: string): Promise<string[]> {
    const { rows } = await this.#stage.rows.query(
      "select body from paraph.payload where tenant = 'acme' and call = $1 and name = 'input'",
      [call],
    );
    const { steps = [] } = JSON.parse(String(rows[0]?.body ?? "{}")) as Partial<PlanRequest>;
    return steps.map(({ id }) => id);
  }

  async #request(
    deed: Exclude<PlanAction, { kind: "place" | "undo" }>,
    { call, ids }: Live,
    model: ModelPlan,
  ) {
    if (deed.kind === "withdraw")
      return postUntilAnswered(this.#stage, this.#agent.key, `/v1/calls/${call}/withdrawal`, {});
    const row = await this.#row(call);
    const declined =
      model.state === "asking" ? pickSteps(model, deed.declined).map((index) => ids[index]) : [];
    return postUntilAnswered(
      this.#stage,
      this.#stage.keys[deed.by],
      `/v1/approvals/${row.approval ?? "ask_none"}/decision`,
      {
        decision: deed.decision,
        reason: "so",
        digest: deed.stale ? "0".repeat(64) : (row.digest ?? "0".repeat(64)),
        ...(deed.decision === "approve" && declined.length > 0 && { declined }),
      },
    );
  }

  /** Waits until the rows match the model, however long the processes need to recover. */
  async #becomes(live: Live, model: ModelPlan, because: string): Promise<void> {
    this.plans.set(live.call, { live, model });
    for (const sight of listCoverage(model, because)) this.coverage.add(sight);
    const wanted = describeExpected(live, model);
    const deadline = Date.now() + 120_000;
    for (;;) {
      const row = await this.#row(live.call);
      const isSame = row.stands === wanted && (model.state === "closed" || row.yes === model.yes.size);
      if (isSame) return;
      if (Date.now() > deadline)
        return void this.faults.push(
          `${live.call} after ${because}: ${JSON.stringify(row)}, expected ${describeModel(model)} (${wanted}); ${await this.#stage.about(live.call)}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Returns the state of the plan, with the approval of the plan or of its waiting step. */
  async #row(call: string): Promise<Row> {
    const { rows } = await this.#stage.rows.query(
      `select concat_ws(' ', c.state, s.step, c.outcome, c.outcome_code) as stands, a.id as approval, a.digest,
              (select count(*)::int from paraph.vote v where v.approval = a.id and v.decision = 'approve') as yes
       from paraph.call c
       left join paraph.call s on s.tenant = c.tenant and s.parent = c.id and s.state = 'asking' and c.state = 'composing'
       left join paraph.approval a on a.tenant = c.tenant and a.call = coalesce(s.id, c.id)
       where c.tenant = 'acme' and c.id = $1 order by a.round desc nulls last limit 1`,
      [call],
    );
    return rows[0] as unknown as Row;
  }
}

function listCoverage({ outcome, at, declined }: ModelPlan, because: string): string[] {
  return [
    ...(outcome === undefined ? [] : [outcome]),
    ...(at === undefined ? [] : [at === -1 ? "way back asked about" : "step asked about"]),
    ...(declined.length > 0 ? ["partly approved"] : []),
    ...(because === "undo" ? ["undo asked for"] : []),
  ];
}

function describeExpected({ ids }: Live, { state, at, outcome }: ModelPlan): string {
  const step = at === undefined ? undefined : at === -1 ? "$compensation" : ids[at];
  return [state, step, outcome].filter((word) => word !== undefined).join(" ");
}

function describeModel({ kinds, onFailure, state, at, outcome = "", yes, declined }: ModelPlan): string {
  return `${kinds.join(" ")} (${onFailure}) ${state} ${at ?? ""} ${outcome} with ${yes.size} votes without ${declined}`;
}

const capabilityByKind: Record<ModelStepKind, string> = {
  free: "free.keyed",
  asked: "asked.keyed",
  paired: "paired.keyed",
  breaks: "free.keyed",
  back: "reversible.keyed",
  wary: "reversible.none",
  read: "free.read",
  taking: "asked.keyed",
};

function buildDocument({ kinds, onFailure }: DrawnPlan, name: string): PlanRequest {
  return {
    version: 1,
    onFailure,
    steps: kinds.map((kind, index) => ({
      id: `s${index}`,
      capability: capabilityByKind[kind],
      input: { name: buildName(kind, kinds, `${name}-${index}`) },
    })),
  };
}

function buildName(kind: ModelStepKind, kinds: readonly ModelStepKind[], name: string) {
  if (kind === "taking") return { $from: `s${kinds.indexOf("read")}`, path: "/name" };
  if (kind === "breaks") return `undoable-${name}`;
  return kind === "wary" ? `wary-${name}` : name;
}
