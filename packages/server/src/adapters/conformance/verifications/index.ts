import type { Bench } from "../bench.ts";
import type { Verification } from "../verification.ts";
import { apply } from "./apply.ts";
import { basis, basisMoved } from "./basis.ts";
import { crash } from "./crash.ts";
import { deadline } from "./deadline.ts";
import { idempotency } from "./idempotency.ts";
import { large } from "./large.ts";
import { preview, previewAgain } from "./preview.ts";
import { reset } from "./reset.ts";
import { sensitive } from "./sensitive.ts";
import { undo } from "./undo.ts";

/** What is proven of each case, in order. */
export const verifications: readonly Verification<Bench>[] = [
  reset,
  apply,
  preview,
  previewAgain,
  basis,
  basisMoved,
  idempotency,
  crash,
  undo,
  deadline,
  sensitive,
  large,
];
