// Every property test draws the same sample in every run. `PARAPH_SEED` draws another one.
import fc from "fast-check";

/** The seed that CI uses. */
export const seed = Number(process.env.PARAPH_SEED ?? 20_261_115);

fc.configureGlobal({ seed });
