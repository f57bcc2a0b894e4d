import { brief, Problem, unknownApproval, unknownCall, unknownCapability, unknownPlan } from "../problem.ts";

interface Checked {
  readonly target: string;
  readonly success: boolean;
  readonly error?: {
    readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  };
}

/** What does not fit its schema is refused, by paths and rules: zod's messages name what was expected, not what came. */
export function refuseInvalid(checked: Checked): void {
  if (checked.success) return;
  const issues = checked.error?.issues ?? [];
  const faults = issues
    .slice(0, 20)
    .map(({ path, message }) => `${path.map(String).join(".") || "(the whole)"}: ${message}`)
    .join("; ");
  if (checked.target === "param") throw unknownHandle(issues[0]?.path[0]);
  if (checked.target === "json")
    throw new Problem("body-invalid", brief(`The body does not fit: ${faults}.`));
  throw new Problem("parameter-invalid", brief(`In the ${checked.target}: ${faults}.`));
}

/** [TRUST 9] A handle that cannot exist is answered as one that does not. */
function unknownHandle(name: PropertyKey | undefined): Problem {
  if (name === "approval") return unknownApproval();
  if (name === "plan") return unknownPlan();
  return name === "name" ? unknownCapability() : unknownCall();
}
