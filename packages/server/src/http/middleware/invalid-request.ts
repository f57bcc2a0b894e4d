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

/**
 * Rejects a request that does not match its schema. The problem contains paths and zod's messages. These messages state
 * the expected value and not the value that the caller sent.
 */
export function rejectInvalidRequest(checked: ValidationResult): void {
  if (checked.success) return;
  const issues = checked.error?.issues ?? [];
  const faults = issues
    .slice(0, 20)
    .map(({ path, message }) => `${path.map(String).join(".") || "(the whole)"}: ${message}`)
    .join("; ");
  if (checked.target === "param") throw unknownResource(issues[0]?.path[0]);
  if (checked.target === "json")
    throw new HttpProblem("body-invalid", truncateDetail(`The body is not valid: ${faults}.`));
  throw new HttpProblem(
    "parameter-invalid",
    truncateDetail(`The ${checked.target} is not valid: ${faults}.`),
  );
}

/**
 * [TRUST 9] Returns the problem for an id that cannot exist. It is the same as the problem for an id that does not
 * exist.
 */
function unknownResource(name: PropertyKey | undefined): HttpProblem {
  if (name === "approval") return unknownApproval();
  if (name === "plan") return unknownPlan();
  return name === "name" ? unknownCapability() : unknownCall();
}
