/**
 * The experiments whose newest result docs/proof.md prints, in its order. The page also lists experiments without a
 * result.
 */
export const publishedExperiments = [
  ...(["crash-points", "effects", "injection", "storm", "locks"] as const),
  ...(["freeze", "limits", "clock", "mutations"] as const),
] as const;
