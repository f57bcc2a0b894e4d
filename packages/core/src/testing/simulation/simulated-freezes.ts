import type { Freeze } from "../../freeze.ts";
import type { Freezes } from "../../ports.ts";
import type { Wake } from "../../store.ts";
import { filterCoveringFreezes } from "../model/model-gates.ts";
import type { ModelStore } from "../model/model-store.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { EffectRecord } from "./external-system.ts";

/** The number of calls and the attempts in flight at the time of a freeze. Neither may grow until the thaw. */
interface FreezeSnapshot {
  readonly from: number;
  until?: number;
  readonly rows: number;
  readonly inFlight: ReadonlySet<string>;
}

/** The freezes of a simulation, and checks of the rules that hold while they are in force. */
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

  /** Lifts every freeze and returns the calls that this wakes. */
  thaw(): Wake[] {
    return this.#inForce().flatMap(({ id }) => {
      this.#held.get(id)!.until = this.#now();
      return this.#store.thaw(this.#tenant, id);
    });
  }

  /**
   * Creates one process's view of the freezes. The view is sometimes outdated: it may lack a new freeze or still show a
   * lifted one.
   */
  createView(random: SeededRandom): Freezes {
    let known: readonly Freeze[] = [];
    return {
      inForce: async ({ id, onBehalfOf }, { name }) => {
        if (random.chance() < 0.5) known = this.#inForce();
        return filterCoveringFreezes(known, [id, onBehalfOf], name)[0];
      },
    };
  }

  /** [TRUST 25] Finds effects of attempts that the freeze did not list as in flight. */
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

  /** [TRUST 25] Finds calls that were accepted during a freeze. A refused call may be recorded. */
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

  hasAny(): boolean {
    return this.#held.size > 0;
  }

  isFrozenAt(time: number): boolean {
    return [...this.#held.values()].some(({ from, until }) => from <= time && time < (until ?? time + 1));
  }

  #inForce(): Freeze[] {
    return this.#store.getGates(this.#tenant).listFreezes();
  }
}

const toAttemptName = ({ call, attempt }: { call: string; attempt: number }): string => `${call} ${attempt}`;
