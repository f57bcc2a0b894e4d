import type { Call, CallRef, Child } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { type ChildEnd, type Composer, StepFailed, type StepOptions } from "../../capability/composite.ts";
import { eventsOfKind } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import type { Ports } from "../../ports.ts";
import type { NewCall, OpenResult, Wake } from "../../store.ts";
import { composingMs } from "../execution/begin-composite.ts";
import { callCost } from "../gate.ts";
import { listDeclinedSteps } from "../round.ts";
import { commitTransition } from "../transition.ts";
import { digestStepRequest, type OpenChildResult, openChild, type StepRequest } from "./child.ts";
import { failedOutcome, latestChildren, refusedChildEnd, toChild, toChildEnd } from "./child-end.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

/** The result of one run of a composite's code. */
export type CompositeRun =
  | { readonly kind: "ended"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "waiting" };

/**
 * Runs a segment of a step. A new step continues from the call that was just written. Any other step continues from its
 * rows.
 */
export type RunChild = (child: Call | CallRef) => Promise<ChildRun>;

interface ChildRun {
  readonly call: Call | undefined;
  readonly wakes: readonly Wake[];
}

/** The maximum number of steps that run at the same time. Further steps wait. */
const maxConcurrentSteps = 8;

/** The time after which another segment continues the run, so that a thousand steps do not block the engine. */
const maxRunMs = 60_000;

/**
 * The maximum number of microtasks to wait for the next step. Code that awaits only steps requests its next step within
 * this number.
 */
const maxMicrotasks = 500;

/**
 * One run of a composite's code. It returns the ends of closed steps, opens and runs the others, and detects when every
 * open step waits.
 */
export class Composition {
  /** The call, as stored after the writes of this run. */
  call: Call;
  /** Whether another segment owns the call now. */
  lost = false;
  /** Whether another segment must continue immediately. */
  hasMoreWork = false;
  readonly wakes: Wake[] = [];
  readonly #capability: Capability;
  readonly #ports: Ports;
  readonly #runChild: RunChild;
  readonly #children: ReadonlyMap<string, Child>;
  readonly #told: Set<string>;
  readonly #asked = new Set<string>();
  readonly #holders = new Map<string, Promise<unknown>>();
  readonly #until: number;
  #waiting = 0;
  #budget: number | undefined;
  #turn: Promise<void> = Promise.resolve();
  #broken: { readonly by: unknown } | undefined;
  readonly #flights = new ConcurrencyLimit(maxConcurrentSteps);

  constructor(
    call: Call,
    capability: Capability,
    children: readonly Child[],
    ports: Ports,
    runChild: RunChild,
  ) {
    this.call = call;
    this.#capability = capability;
    this.#ports = ports;
    this.#runChild = runChild;
    this.#children = new Map(latestChildren(children).map((child) => [child.step, child]));
    this.#told = new Set(eventsOfKind(call.events, "stepped").map(({ data }) => data.step));
    this.#until = ports.clock.now() + maxRunMs;
    this.#budget = capability.cost ? callCost(call, capability) : undefined;
  }

  /**
   * Runs the code. If opening or running a step throws an error, this method throws it too, because the error is not a
   * result of that step. The segment then runs again.
   */
  async run(code: (composer: Composer) => Promise<unknown>): Promise<CompositeRun> {
    let came: CompositeRun | undefined;
    const running = (async () => code(this.#composer()))().then(
      (value) => {
        came = { kind: "ended", value };
      },
      (error) => {
        came = { kind: "failed", error };
      },
    );
    for (;;) {
      await this.#flights.whenIdle();
      for (let turn = 0; turn < maxMicrotasks && !came && this.#flights.isIdle; turn += 1) await null;
      if (!this.#flights.isIdle) continue;
      if (this.#broken) throw this.#broken.by;
      if (came) return came;
      if (this.#waiting > 0) return { kind: "waiting" };
      // The code awaits something other than a step, which deterministic code does not do. Paraph waits for the code as
      // long as for one attempt.
      const { signal, clear } = this.#ports.clock.deadline(this.#capability.contract.timeoutMs);
      const late = new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      await Promise.race([running, late, this.#flights.whenBusy()]);
      clear();
      if (signal.aborted && !came)
        return {
          kind: "failed",
          error: new StepFailed(
            "stuck",
            "The composite's code waits for something that is not a step. Change `compose` so that it waits only for steps.",
            failedOutcome("stuck"),
          ),
        };
    }
  }

  #composer(): Composer {
    const ended = (capability: string, input: Json, options: StepOptions = {}) =>
      this.#ended({ step: options.step ?? String(this.#asked.size + 1), capability, input, options });
    const succeeded = async (capability: string, input: Json, options?: StepOptions): Promise<Json> => {
      const { step, outcome, output } = await ended(capability, input, options);
      if (outcome.kind === "succeeded") return output ?? null;
      const code: OutcomeCode = outcome.kind === "unknown" ? "step-unknown" : "step-failed";
      throw new StepFailed(code, `Step \`${step}\` ended as ${outcome.kind} (${outcome.code}).`, outcome);
    };
    const past = [...this.#children.values()].filter(({ state }) => state === "closed");
    return Object.assign(succeeded, {
      ended,
      declined: listDeclinedSteps(this.call, this.call.approval),
      before: new Map(past.map((child) => [child.step, toChildEnd(child)])),
      begun: new Set(this.#children.keys()),
    });
  }

  async #ended(step: StepRequest): Promise<ChildEnd> {
    if (this.#asked.has(step.step)) throw notDeterministicError(step.step);
    this.#asked.add(step.step);
    const past = this.#children.get(step.step);
    if (!this.#isAfforded(step) && !past) return refusedChildEnd(step.step, "budget-exceeded", this.#ports);
    if (past && past.requestDigest !== digestStepRequest(step)) throw notDeterministicError(step.step);
    if (past?.state === "closed") {
      await this.#fly(() => this.#tell(past));
      return toChildEnd(past);
    }
    return this.#alone(step, async () => {
      const end = await this.#fly(() => this.#take(step, past));
      if (end) return end;
      this.#waiting += 1;
      return waitForever();
    });
  }

  /**
   * [P2] Hides an error in opening or running a step from the composite's code. Otherwise the code would end as if the
   * step had failed.
   */
  async #fly<T>(body: () => Promise<T>): Promise<T> {
    const landed = await this.#flights.run(() =>
      body().then(
        (value) => ({ value }),
        (by: unknown) => {
          this.#broken ??= { by };
          return undefined;
        },
      ),
    );
    return landed ? landed.value : waitForever();
  }

  /** Opens or continues a step in this process, as far as it gets. Returns undefined if the step waits. */
  async #take(step: StepRequest, past: Child | undefined): Promise<ChildEnd | undefined> {
    if (this.lost) return undefined;
    if (this.#ports.clock.now() >= this.#until) {
      this.hasMoreWork = true;
      return undefined;
    }
    const { tenant } = this.call;
    const ran = past ? await this.#runChild({ tenant, call: past.call }) : await this.#open(step);
    if ("code" in ran) return refusedChildEnd(step.step, ran.code, this.#ports);
    this.wakes.push(...ran.wakes.filter(({ call }) => call !== this.call.call));
    const { call } = ran;
    if (call?.state !== "closed" || !call.outcome) return undefined;
    if (call.outcome.kind === "superseded") {
      // Requests another run, which finds the successor of the superseded step.
      this.hasMoreWork = true;
      return undefined;
    }
    const child = toChild(call, step.step);
    await this.#tell(child);
    return toChildEnd(child);
  }

  async #open(step: StepRequest): Promise<ChildRun | Extract<OpenChildResult, { kind: "not-made" }>> {
    const opened = await openChild(this.call, step, this.#ports, (newCall) => this.#write(newCall));
    if (opened.kind === "not-made") return opened;
    if (opened.kind === "later" || opened.kind === "lost") return { call: undefined, wakes: [] };
    if (opened.call.state === "closed") return { call: opened.call, wakes: opened.wakes };
    const { tenant, call: id, epoch } = opened.call;
    const ran = await this.#runChild(opened.known ? { tenant, call: id } : opened.call);
    // If the step made no further transition, the messages from its opening must still be sent. Most of these messages
    // are timers.
    return ran.call?.epoch === epoch ? { ...ran, wakes: [...opened.wakes, ...ran.wakes] } : ran;
  }

  /**
   * Opens steps one after another, because each opening changes the composite's epoch and the next opening needs the
   * new epoch.
   */
  async #write(newCall: NewCall): Promise<OpenResult> {
    return this.#next(async () => {
      if (this.lost) return { kind: "lost" };
      const opened = await this.#ports.store.open({ ...newCall, parentEpoch: this.call.epoch });
      if (opened.kind === "opened") this.call = { ...this.call, epoch: this.call.epoch + 1 };
      if (opened.kind === "lost") this.lost = true;
      return opened;
    });
  }

  /** Runs writes to the composite's own rows one after another. */
  async #next<T>(body: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(body);
    this.#turn = mine.then(
      () => {},
      () => {},
    );
    return mine;
  }

  /**
   * Records the end of a step in the composite's events, once. People who watch the composite then see its steps end
   * one by one.
   */
  async #tell({ step, call, outcome }: Child): Promise<void> {
    if (this.#told.has(step) || !outcome) return;
    this.#told.add(step);
    await this.#next(async () => {
      if (this.lost) return;
      const at = this.#ports.clock.now();
      const data = { step, call, outcome: outcome.kind, code: outcome.code };
      const committed = await commitTransition(
        this.call,
        { state: "composing", nextAt: at + composingMs, events: [{ kind: "stepped", at, data }] },
        this.#ports,
      );
      this.lost = committed.kind !== "on";
      this.call = committed.call;
    });
  }

  /**
   * [P13] Returns whether the budget covers a step. The declared cost of a composite bounds the cost of its steps,
   * including those of earlier runs.
   */
  #isAfforded(step: StepRequest): boolean {
    if (this.#budget === undefined) return true;
    const { cost } = readDemands(this.call.tenant, step, this.#ports);
    if (cost > this.#budget) return false;
    this.#budget -= cost;
    return true;
  }

  /**
   * Runs a step after the earlier steps that use the same lock keys. Two steps of a composite that holds locks never
   * use the same key at the same time.
   */
  async #alone(step: StepRequest, body: () => Promise<ChildEnd>): Promise<ChildEnd> {
    const keys = this.call.lockKeys.length > 0 ? readDemands(this.call.tenant, step, this.#ports).keys : [];
    const before = keys.flatMap((key) => this.#holders.get(key) ?? []);
    const run = Promise.all(before).then(body);
    for (const key of keys)
      this.#holders.set(
        key,
        run.catch(() => {}),
      );
    return run;
  }
}

/**
 * Suspends the code, because a waiting step gets no result in this run. A later run starts the code again from the top.
 */
const waitForever = () => new Promise<never>(() => {});

function notDeterministicError(step: string): StepFailed {
  return new StepFailed(
    "not-deterministic",
    `Step \`${step}\` differs from the previous run. A composite's code has to make the same calls in every run.`,
    failedOutcome("not-deterministic"),
  );
}

/**
 * Returns the cost and the lock keys of a step. If they cannot be computed, it returns a cost of 0 and no keys. Opening
 * the step then reports the reason.
 */
function readDemands(
  tenant: string,
  { capability: name, input }: StepRequest,
  ports: Ports,
): { cost: number; keys: readonly string[] } {
  try {
    const capability = ports.catalog.find(tenant, name);
    const parsed = capability?.parseInput(input);
    if (capability && parsed?.kind === "valid")
      return { cost: capability.cost?.(parsed.value) ?? 0, keys: capability.locks(parsed.value) };
  } catch {
    // Ignores the error, because opening the step reports it.
  }
  return { cost: 0, keys: [] };
}
