import type { SuiteContext } from "../suite-context.ts";
import type { Verification } from "../verification.ts";
import { closeVerification } from "./close.ts";
import { coverageVerification, digestsVerification, namesVerification } from "./contracts.ts";
import { healthVerification } from "./health.ts";
import { observeVerification } from "./observe.ts";

/** The verifications of the adapter as a whole, in order. */
export const adapterVerifications: readonly Verification<SuiteContext>[] = [
  namesVerification,
  coverageVerification,
  digestsVerification,
  healthVerification,
  observeVerification,
  closeVerification,
];
