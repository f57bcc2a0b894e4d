import type { Call, CallRef, Child } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { type ChildEnd, type Composer, StepFailed, type StepOptions } from "../../capability/composite.ts";
import { eventsOfKind } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { NewCall, OpenResult, Ports, Wake } from "../../ports.ts";
import { callCost } from "../admission/rule.ts";
import { listDeclinedSteps } from "../approval/declined-steps.ts";
import { commitTransition } from "../transition.ts";
import { composingMs } from "./begin.ts";
import { digestStepRequest, type OpenChildResult, openChild, type StepRequest } from "./child.ts";
import { failedOutcome, latestChildren, refusedChildEnd, toChild, toChildEnd } from "./child-end.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

/** What a run of a composite's code came to. */
export type CompositeRun =
  | { readonly kind: "ended"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "waiting" };

/** How a segment of a step is run: a new one goes on from what was just written, any other from its rows. */
export type RunChild = (child: Call | CallRef) => Promise<ChildRun>;

interface ChildRun {
  readonly call: Call | undefined;
  readonly wakes: readonly Wake[];
}

/** So many steps at once; more wait for their turn. */
const maxConcurrentSteps = 8;

/** A run longer than this goes on in another segment: the engine is not kept waiting for a thousand steps. */
const maxRunMs = 60_000;

/** Code that only awaits its steps comes to its next one within this many turns of the queue. */
const maxMicrotasks = 500;

/** One run of a composite's code: hands out its steps' endings, opens and performs those that have none, and notices when all that is left waits. */
export class Composition {
  /** As its rows stand after what this run has written. */
  call: Call;
  /** Another segment owns it now. */
  lost = false;
  /** Something is left to do at once, in another segment. */
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

  /** Throws what broke underneath a step: that is no answer of the step's, and the segment is run again. */
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
      // It awaits something that is not a step, which deterministic code does not; it is given one attempt's time.
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
            "Its code waits for something that is not a step.",
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
      const code = outcome.kind === "unknown" ? "step-unknown" : "step-failed";
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

  async #ended(wanted: StepRequest): Promise<ChildEnd> {
    if (this.#asked.has(wanted.step)) throw notDeterministicError(wanted.step);
    this.#asked.add(wanted.step);
    const past = this.#children.get(wanted.step);
    if (!this.#isAfforded(wanted) && !past)
      return refusedChildEnd(wanted.step, "budget-exceeded", this.#ports);
    if (past && past.requestDigest !== digestStepRequest(wanted)) throw notDeterministicError(wanted.step);
    if (past?.state === "closed") {
      await this.#fly(() => this.#tell(past));
      return toChildEnd(past);
    }
    return this.#alone(wanted, async () => {
      const end = await this.#fly(() => this.#take(wanted, past));
      if (end) return end;
      this.#waiting += 1;
      return waitForever();
    });
  }

  /** [P2] What breaks underneath a step is not for the composite's code to see, or it would end as if a step had failed. */
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

  /** Opens the step or goes on with it, here, as far as it gets. Undefined: it waits. */
  async #take(wanted: StepRequest, past: Child | undefined): Promise<ChildEnd | undefined> {
    if (this.lost) return undefined;
    if (this.#ports.clock.now() >= this.#until) {
      this.hasMoreWork = true;
      return undefined;
    }
    const { tenant } = this.call;
    const ran = past ? await this.#runChild({ tenant, call: past.call }) : await this.#open(wanted);
    if ("code" in ran) return refusedChildEnd(wanted.step, ran.code, this.#ports);
    this.wakes.push(...ran.wakes.filter(({ call }) => call !== this.call.call));
    const { call } = ran;
    if (call?.state !== "closed" || !call.outcome) return undefined;
    if (call.outcome.kind === "superseded") {
      // What took its place is found by the next run.
      this.hasMoreWork = true;
      return undefined;
    }
    const child = toChild(call, wanted.step);
    await this.#tell(child);
    return toChildEnd(child);
  }

  async #open(wanted: StepRequest): Promise<ChildRun | Extract<OpenChildResult, { kind: "not-made" }>> {
    const opened = await openChild(this.call, wanted, this.#ports, (opening) => this.#write(opening));
    if (opened.kind === "not-made") return opened;
    if (opened.kind === "later" || opened.kind === "lost") return { call: undefined, wakes: [] };
    if (opened.call.state === "closed") return { call: opened.call, wakes: opened.wakes };
    const { tenant, call: id, epoch } = opened.call;
    const ran = await this.#runChild(opened.known ? { tenant, call: id } : opened.call);
    // Where it stands as it was opened, what that left to send is still to be sent: a timer, mostly.
    return ran.call?.epoch === epoch ? { ...ran, wakes: [...opened.wakes, ...ran.wakes] } : ran;
  }

  /** One step after another, each at the epoch that the one before has left. */
  async #write(opening: NewCall): Promise<OpenResult> {
    return this.#next(async () => {
      if (this.lost) return { kind: "lost" };
      const opened = await this.#ports.store.open({ ...opening, parentEpoch: this.call.epoch });
      if (opened.kind === "opened") this.call = { ...this.call, epoch: this.call.epoch + 1 };
      if (opened.kind === "lost") this.lost = true;
      return opened;
    });
  }

  /** What is written of the composite itself is written in turn. */
  async #next<T>(body: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(body);
    this.#turn = mine.then(
      () => {},
      () => {},
    );
    return mine;
  }

  /** On record with the whole, once: whoever watches it sees its steps end, one by one. */
  async #tell({ step, call, outcome }: Child): Promise<void> {
    if (this.#told.has(step) || !outcome) return;
    this.#told.add(step);
    await this.#next(async () => {
      if (this.lost) return;
      const at = this.#ports.clock.now();
      const data = { step, call, outcome: outcome.kind, code: outcome.code };
      const moved = await commitTransition(
        this.call,
        { state: "composing", nextAt: at + composingMs, events: [{ kind: "stepped", at, data }] },
        this.#ports,
      );
      this.lost = moved.kind !== "on";
      this.call = moved.call;
    });
  }

  /** [P13] A composite that declares what it costs bounds its steps by it: those of earlier runs as well. */
  #isAfforded(wanted: StepRequest): boolean {
    if (this.#budget === undefined) return true;
    const { cost } = readDemands(this.call.tenant, wanted, this.#ports);
    if (cost > this.#budget) return false;
    this.#budget -= cost;
    return true;
  }

  /** Two steps of a composite that holds locks never have the same key at once: the later waits for the earlier. */
  async #alone(wanted: StepRequest, body: () => Promise<ChildEnd>): Promise<ChildEnd> {
    const keys = this.call.lockKeys.length > 0 ? readDemands(this.call.tenant, wanted, this.#ports).keys : [];
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

/** What waits is not answered in this run: the code stays where it is, and is run again from the top. */
const waitForever = () => new Promise<never>(() => {});

function notDeterministicError(step: string): StepFailed {
  return new StepFailed(
    "not-deterministic",
    `Step \`${step}\` was another when this was last run: a composite's code must do the same every time.`,
    failedOutcome("not-deterministic"),
  );
}

/** What a step would cost and which keys it wants; nothing, where that cannot be told: its opening then says why. */
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
    // Told below.
  }
  return { cost: 0, keys: [] };
}
