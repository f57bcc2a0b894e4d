import type { Freeze } from "../../freeze.ts";
import type { Freezes, Wake } from "../../ports.ts";
import { filterCoveringFreezes } from "../model/model-gates.ts";
import type { ModelStore } from "../model/model-store.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { EffectRecord } from "./outside-system.ts";

/** What there was when a freeze answered: nothing may be added to it until the thaw. */
interface FreezeSnapshot {
  readonly from: number;
  until?: number;
  readonly rows: number;
  readonly inFlight: ReadonlySet<string>;
}

/** The kill switch of a simulation, and what must not happen while it is pulled. */
export class SimulatedFreezes {
  readonly #store: ModelStore;
  readonly #tenant: string;
  readonly #now: () => number;
  readonly #held = new Map<string, FreezeSnapshot>();

  constructor(store: ModelStore, tenant: string, now: () => number) {
    this.#store = store;
    this.#tenant = tenant;
    this.#now = now;
  }

  freeze(given: Pick<Freeze, "kind" | "subject">): void {
    const id = `freeze_${this.#held.size + 1}`;
    const inFlight = this.#store.freeze(this.#tenant, { id, by: "owner", ...given });
    this.#held.set(id, {
      from: this.#now(),
      rows: this.#store.rows().length,
      inFlight: new Set(inFlight.map(toAttemptName)),
    });
  }

  /** Everything that is frozen; returns whom that wakes. */
  thaw(): Wake[] {
    return this.#inForce().flatMap(({ id }) => {
      this.#held.get(id)!.until = this.#now();
      return this.#store.thaw(this.#tenant, id);
    });
  }

  /** As one process knows it: now and then it is behind, in either direction. */
  createView(random: SeededRandom): Freezes {
    let known: readonly Freeze[] = [];
    return {
      inForce: ({ id, onBehalfOf }, { name }) => {
        if (random.chance() < 0.5) known = this.#inForce();
        return filterCoveringFreezes(known, [id, onBehalfOf], name)[0];
      },
    };
  }

  /** [TRUST 25] Only what was listed as in flight may still act. */
  findEffectViolations(effect: EffectRecord): string[] {
    const row = this.#store.rows().find(({ call }) => call === effect.call);
    if (!row || effect.late) return [];
    return filterCoveringFreezes(
      this.#inForce(),
      [row.principal.id, row.principal.onBehalfOf],
      row.capability,
    )
      .filter(({ id }) => !this.#held.get(id)!.inFlight.has(toAttemptName(effect)))
      .map(() => "[TRUST 25] an effect while frozen");
  }

  /** [TRUST 25] What came after the freeze was not let in; a refusal may go on record. */
  findAcceptanceViolations(): string[] {
    const rows = this.#store.rows();
    return this.#inForce().flatMap((freeze) =>
      rows
        .slice(this.#held.get(freeze.id)!.rows)
        .filter(({ outcome }) => outcome?.kind !== "refused")
        .filter(
          ({ principal, capability }) =>
            filterCoveringFreezes([freeze], [principal.id, principal.onBehalfOf], capability).length > 0,
        )
        .map(({ call }) => `[TRUST 25] ${call} was accepted while frozen`),
    );
  }

  /** Whether the switch was ever pulled. */
  hasAny(): boolean {
    return this.#held.size > 0;
  }

  /** Whether anything was frozen then. */
  isFrozenAt(time: number): boolean {
    return [...this.#held.values()].some(({ from, until }) => from <= time && time < (until ?? time + 1));
  }

  #inForce(): Freeze[] {
    return this.#store.getGates(this.#tenant).listFreezes();
  }
}

const toAttemptName = ({ call, attempt }: { call: string; attempt: number }): string => `${call} ${attempt}`;
