import { findUndoneCall } from "../../call.ts";
import { compensationStep } from "../../plan/undo-plan.ts";
import type { NewCall } from "../../store.ts";
import type { CallRow } from "./model-rows.ts";

/** [TRUST 34] The calls that are being undone or were undone, and the one call that undoes each. */
export class ModelUndos {
  readonly #claims = new Map<string, string>();

  /** Claims the calls that this opening undoes, or returns the call that already holds one of these claims. */
  claim(rows: readonly CallRow[], { tenant, call, events }: NewCall): string | undefined {
    const undoes = findUndoneCall({ events: events.map((event, index) => ({ seq: index + 1, ...event })) });
    if (undoes === undefined) return undefined;
    const own = rows.filter((row) => row.tenant === tenant);
    const names = listWithSteps(own, undoes).map((row) => JSON.stringify([tenant, row.call]));
    const taken = names
      .map((name) => this.#claims.get(name))
      .find((by) => by !== undefined && by !== call && !hasUndoneNothing(own, by));
    if (taken !== undefined) return taken;
    for (const name of names) this.#claims.set(name, call);
    return undefined;
  }
}

function listWithSteps(rows: readonly CallRow[], call: string): readonly CallRow[] {
  const steps = rows.filter(({ parent }) => parent?.call === call && parent.step !== compensationStep);
  return [
    ...rows.filter((row) => row.call === call),
    ...steps.flatMap((step) => listWithSteps(rows, step.call)),
  ];
}

/** Returns whether the call has ended and neither it nor any of its steps had an effect. */
function hasUndoneNothing(rows: readonly CallRow[], call: string): boolean {
  return listWithSteps(rows, call).every(
    ({ outcome, resolution }) =>
      outcome !== undefined &&
      outcome.kind !== "succeeded" &&
      (outcome.kind !== "unknown" || resolution?.finding === "not-happened"),
  );
}
