/** [P8] The meaning of an error: the effect did not happen, it may have happened, or the call can never succeed. */
export type FaultKind = (typeof faultKinds)[number];
export const faultKinds = ["not-performed", "ambiguous", "permanent"] as const;

/**
 * [P7] [P8] The rules for each kind of fault: whether the attempt may have had an effect, and whether Paraph retries
 * it. With `if-safe`, Paraph retries only if a second run cannot double the effect.
 */
export const faultKindRules: Readonly<
  Record<FaultKind, { readonly mayHaveActed: boolean; readonly retry: "yes" | "if-safe" | "no" }>
> = {
  "not-performed": { mayHaveActed: false, retry: "yes" },
  ambiguous: { mayHaveActed: true, retry: "if-safe" },
  permanent: { mayHaveActed: false, retry: "no" },
};

/**
 * Returns whether an attempt with this end counts as not begun. If so, Paraph gives back the attempt's grant and its
 * place under a limit. Approvers may then still deny the call.
 */
export function countsAsNotBegun(end: string | undefined): boolean {
  return faultKinds.some((kind) => kind === end && faultKindRules[kind].retry === "yes");
}
