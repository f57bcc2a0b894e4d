import type { CaseContext } from "../case-context.ts";
import type { Verification } from "../verification.ts";
import { applyVerification } from "./apply.ts";
import { basisChangedVerification, basisVerification } from "./basis.ts";
import { crashVerification } from "./crash.ts";
import { deadlineVerification } from "./deadline.ts";
import { idempotencyVerification } from "./idempotency.ts";
import { largeInputVerification } from "./large.ts";
import { previewAgainVerification, previewVerification } from "./preview.ts";
import { resetVerification } from "./reset.ts";
import { sensitiveVerification } from "./sensitive.ts";
import { undoVerification } from "./undo.ts";

/** The verifications of each case, in order. */
export const verifications: readonly Verification<CaseContext>[] = [
  resetVerification,
  applyVerification,
  previewVerification,
  previewAgainVerification,
  basisVerification,
  basisChangedVerification,
  idempotencyVerification,
  crashVerification,
  undoVerification,
  deadlineVerification,
  sensitiveVerification,
  largeInputVerification,
];
