import type { Company } from "../company.ts";
import type { Verification } from "../verification.ts";
import { close } from "./close.ts";
import { covered, digests, names } from "./contracts.ts";
import { health } from "./health.ts";
import { perceive } from "./perceive.ts";

/** What is proven of the adapter as a whole, in order. */
export const wholeVerifications: readonly Verification<Company>[] = [
  names,
  covered,
  digests,
  health,
  perceive,
  close,
];
