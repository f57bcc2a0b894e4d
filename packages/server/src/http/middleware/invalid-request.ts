import {
  HttpProblem,
  truncateDetail,
  unknownApproval,
  unknownCall,
  unknownCapability,
  unknownPlan,
} from "../problem.ts";

interface ValidationResult {
  readonly target: string;
  readonly success: boolean;
  readonly error?: {
    readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  };
}

/** What does not fit its schema is refused, by paths and rules: zod's messages name what was expected, not what came. */
export function rejectInvalidRequest(checked: ValidationResult): void {
  if (checked.success) return;
  const issues = checked.error?.issues ?? [];
  const faults = issues
    .slice(0, 20)
    .map(({ path, message }) => `${path.map(String).join(".") || "(the whole)"}: ${message}`)
    .join("; ");
  if (checked.target === "param") throw unknownResource(issues[0]?.path[0]);
  if (checked.target === "json")
    throw new HttpProblem("body-invalid", truncateDetail(`The body does not fit: ${faults}.`));
  throw new HttpProblem("parameter-invalid", truncateDetail(`In the ${checked.target}: ${faults}.`));
}

/** [TRUST 9] A handle that cannot exist is answered as one that does not. */
function unknownResource(name: PropertyKey | undefined): HttpProblem {
  if (name === "approval") return unknownApproval();
  if (name === "plan") return unknownPlan();
  return name === "name" ? unknownCapability() : unknownCall();
}
