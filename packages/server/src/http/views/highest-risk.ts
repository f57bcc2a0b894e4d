import { type Contract, type Effect, effects, type Risk, risks } from "@paraph/core";

/** Returns the risks of a row's steps, each once. A row that is no plan has none. */
export function listStepRisks({
  steps = {},
}: {
  readonly steps?: Readonly<Partial<Record<Risk, number>>>;
}): readonly { readonly risk: Risk }[] {
  return Object.keys(steps).map((risk) => ({ risk: risk as Risk }));
}

type StepRisks = Parameters<typeof listStepRisks>[0];

/** Returns the row of the highest risk, the first of several. It stands for the others of its bundle. */
export function findGravest<R extends StepRisks>(first: R, rows: readonly R[]): R {
  const rank = (row: R) => Math.max(-1, ...listStepRisks(row).map(({ risk }) => risks.indexOf(risk)));
  return rows.toSorted((a, b) => rank(b) - rank(a))[0] ?? first;
}

/**
 * [TRUST 6] Raises the contract's risk and effect to the highest among the plan's steps, including steps that this
 * reader may not see.
 */
export function raiseToHighestRisk<C extends Pick<Contract, "risk" | "effect">>(
  contract: C,
  steps: readonly { readonly risk: Risk; readonly effect?: Effect }[] = [],
): C {
  const risk = risks.findLast((one) => one === contract.risk || steps.some((step) => step.risk === one));
  const effect = effects.findLast((one) => steps.some((step) => step.effect === one));
  return { ...contract, ...(risk && { risk }), ...(effect && { effect }) };
}
