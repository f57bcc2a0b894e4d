import {
  postUntilAnswered,
  type TestAgent,
  type TestAnswer,
  type TestServers,
} from "../support/servers/test-servers.ts";
import {
  type ApprovalAction,
  applyAction,
  applyTime,
  createModelCall,
  type ModelCall,
  type ModelWorld,
} from "./model.ts";

interface Row {
  readonly state: string;
  readonly outcome: string;
  readonly round: number;
  readonly yes: number;
  readonly approval: string;
  readonly digest: string;
}

/**
 * A sequence of one agent's calls and a model of these calls. Every difference between the two is recorded as a fault.
 */
export class ApprovalSequence {
  readonly faults: string[] = [];
  /** Every call that was opened, with its state in the model. */
  readonly calls = new Map<string, ModelCall>();
  readonly #stage: TestServers;
  readonly #agent: TestAgent;
  #live: { readonly call: string; readonly name: string } | undefined;
  #frozen: string | undefined;
  #asked = 0;
  #froze = 0;

  constructor(servers: TestServers, agent: TestAgent) {
    this.#stage = servers;
    this.#agent = agent;
  }

  async perform(action: ApprovalAction): Promise<void> {
    if (action.kind === "ask") return this.#ask(action.capability);
    const live = this.#live;
    const before = live && this.calls.get(live.call);
    if (!live || !before) return;
    const row = await this.#row(live.call);
    const frozenBefore = this.#frozen !== undefined;
    const answer = await this.#request(action, live, row);
    const around = { ...this.#around(live.name), frozen: action.kind === "thaw" ? false : frozenBefore };
    const expected = applyAction(before, action, around);
    if (answer && !answer.repeated && answer.status < 300 !== expected.taken)
      this.faults.push(`${JSON.stringify(action)} on ${describeModel(before)} was answered ${answer.status}`);
    await this.#becomes(live.call, expected.calls, JSON.stringify(action));
    if (action.kind === "edit" && expected.taken) await this.#succeed(live.call, before, action.by);
  }

  /** Applies the passage of time to all calls. */
  async pass(): Promise<void> {
    for (const [call, model] of this.calls) {
      const name = this.#live?.call === call ? this.#live.name : "";
      if (model.state !== "closed")
        await this.#becomes(call, [applyTime(model, this.#around(name))], "time passed");
    }
  }

  /** Ends the sequence with a thaw, so that no call stays parked. */
  async end(): Promise<void> {
    await this.perform({ kind: "thaw" });
  }

  async #ask(capability: ModelCall["capability"]): Promise<void> {
    const open = this.#live && this.calls.get(this.#live.call)?.state !== "closed";
    if (open || this.#frozen !== undefined) return;
    const name = `${this.#agent.id}-${++this.#asked}`;
    const { body } = await this.#post(
      this.#agent.key,
      "/v1/calls",
      { capability, input: { name } },
      { "idempotency-key": name },
    );
    const call = String(body.call);
    this.#live = { call, name };
    this.calls.set(call, createModelCall(capability, this.#around(name)));
    await this.#becomes(call, [this.calls.get(call)!], "ask");
  }

  /**
   * [P6] Finds the only successor of an edited call. Paraph asks about the successor in a new round and keeps the
   * deadline.
   */
  async #succeed(old: string, before: ModelCall, editor: string): Promise<void> {
    const { rows } = await this.#stage.rows.query(
      "select id, edited_by from paraph.call where tenant = 'acme' and supersedes = $1",
      [old],
    );
    if (rows.length !== 1) this.faults.push(`${old} has ${rows.length} successors`);
    const call = String(rows[0]?.id);
    this.#live = { call, name: this.#editedName() };
    const { capability, deadline, editors } = before;
    this.calls.set(
      call,
      createModelCall(capability, this.#around(this.#live.name), deadline, [...editors, editor]),
    );
    await this.#becomes(call, [this.calls.get(call)!], "edited");
  }

  async #request(
    deed: Exclude<ApprovalAction, { kind: "ask" }>,
    live: { call: string; name: string },
    row: Row,
  ) {
    const { keys, oracle, rows } = this.#stage;
    const { approval, digest } = row;
    const shown = "stale" in deed && deed.stale ? "0".repeat(64) : digest;
    switch (deed.kind) {
      case "vote":
        return postUntilAnswered(this.#stage, keys[deed.by], `/v1/approvals/${approval}/decision`, {
          decision: deed.decision,
          digest: shown,
          reason: "so",
        });
      case "edit": {
        const input = { name: this.#editedName(1) };
        const body = { digest: shown, input };
        const answer = await this.#post(keys[deed.by], `/v1/approvals/${approval}/edit`, body);
        if ((await this.#row(live.call)).outcome === "superseded edited") this.#asked += 1;
        return answer;
      }
      case "withdraw": {
        const key = deed.by === "agent" ? this.#agent.key : keys.ana;
        return postUntilAnswered(this.#stage, key, `/v1/calls/${live.call}/withdrawal`, {});
      }
      case "move":
        oracle.moves.set(live.name, (oracle.moves.get(live.name) ?? 0) + 1);
        return undefined;
      case "freeze":
        if (this.#frozen !== undefined) return undefined;
        this.#frozen = `${this.#agent.id}-freeze${++this.#froze}`;
        await rows.query("select paraph.freeze('acme', $1, 'principal', $2, 'owner')", [
          ...[this.#frozen, this.#agent.id],
        ]);
        return undefined;
      case "thaw": {
        const freeze = this.#frozen;
        this.#frozen = undefined;
        if (freeze !== undefined)
          await rows.query("select paraph.thaw('acme', $1, 'owner'), paraph.wake_thawed('acme', '', 1000)", [
            freeze,
          ]);
        return undefined;
      }
    }
  }

  /** Repeats the request while a process that does not know of a thaw yet refuses it. */
  async #post(
    key: string,
    path: string,
    body: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer> {
    for (;;) {
      const answer = await postUntilAnswered(this.#stage, key, path, body, headers);
      if (answer.body.code !== "frozen" || this.#frozen !== undefined) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #editedName(ahead = 0): string {
    return `${this.#agent.id}-${this.#asked + ahead}`;
  }

  #around(name: string): ModelWorld {
    const { oracle, now } = this.#stage;
    return { now: now(), frozen: this.#frozen !== undefined, moves: oracle.moves.get(name) ?? 0 };
  }

  /** Waits until the rows match one of these states, however long the processes need to recover. */
  async #becomes(call: string, expected: readonly ModelCall[], because: string): Promise<void> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const row = await this.#row(call);
      const found = expected.find((model) => isSameAsRow(model, row));
      if (found) return void this.calls.set(call, found);
      if (Date.now() > deadline) {
        const wanted = expected.map(describeModel).join(" or ");
        const about = await this.#stage.about(call);
        this.faults.push(`${call} after ${because}: ${JSON.stringify(row)}, expected ${wanted}; ${about}`);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #row(call: string): Promise<Row> {
    const { rows } = await this.#stage.rows.query(
      `select c.state, concat_ws(' ', c.outcome, c.outcome_code) as outcome, a.round, a.id as approval, a.digest,
              (select count(*)::int from paraph.vote v where v.approval = a.id and v.decision = 'approve') as yes
       from paraph.call c left join paraph.approval a on a.tenant = c.tenant and a.call = c.id
       where c.tenant = 'acme' and c.id = $1 order by a.round desc nulls last limit 1`,
      [call],
    );
    return rows[0] as unknown as Row;
  }
}

function isSameAsRow({ state, outcome = "", round, yes }: ModelCall, row: Row): boolean {
  if (row.state !== state || row.outcome !== outcome || row.round !== round) return false;
  return state !== "asking" || row.yes === yes.length;
}

function describeModel({ state, outcome = "", round, yes }: ModelCall): string {
  return `${state} ${outcome} in round ${round} with ${yes.length} votes`;
}
