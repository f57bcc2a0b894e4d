import type { Action } from "../evaluation/schema.ts";
import type { LoadFault } from "../loading/load-fault.ts";
import type { ParsedPolicy } from "../loading/policy-text.ts";
import type { InputType } from "../values/input-type.ts";
import { canApply } from "./scope.ts";

/**
 * Reports policies that depend on input that Cedar never receives. An example is `context.input has price &&
 * context.input.price > 100` where `price` is a float. Cedar's validation accepts this test but treats it as always
 * false. A forbid with this test would therefore never apply.
 */
export function findUntypedInputFaults(
  policies: readonly ParsedPolicy[],
  actions: readonly Action[],
): LoadFault[] {
  return policies.flatMap((policy) => {
    const uses = policy.json.conditions.flatMap((clause) =>
      listContextAccesses(clause.body as ExpressionNode),
    );
    const reached = uses.length > 0 ? actions.filter((action) => canApply(policy, action)) : [];
    return uses.flatMap((use) => {
      const blind = reached.find((action) => isUntypedAccess(use, action.input));
      return blind ? [toUntypedInputFault(policy, use, blind)] : [];
    });
  });
}

function toUntypedInputFault(
  { id, file, line }: ParsedPolicy,
  use: ContextAccess,
  action: Action,
): LoadFault {
  const path = ["context", ...use.path].join(".");
  const sentence =
    `\`${id}\` reads \`${path}\`, part of which Cedar cannot type in \`${action.contract.name}\` ` +
    "(a fraction, a union, null, a map or open keys); limit the action scope of the policy to capabilities where Cedar can type it";
  return { file, line, sentence };
}

/**
 * A place in the context that an expression reads. `asWhole` is false if the expression only tests whether the place
 * exists.
 */
interface ContextAccess {
  readonly path: readonly string[];
  readonly asWhole: boolean;
}

function isUntypedAccess({ path, asWhole }: ContextAccess, input: InputType): boolean {
  if (path.length > 0 && path[0] !== "input") return false;
  let here = input;
  for (const name of path.slice(1)) {
    if (here.kind !== "record") break;
    const field = here.fields.get(name);
    // If the record is open, the key may exist but has no type. A closed record cannot have the key, and validation
    // handles that case.
    if (!field) return here.open;
    here = field.type;
  }
  return here.kind === "untyped" || (asWhole && hasUntypedPart(here));
}

function hasUntypedPart(type: InputType): boolean {
  if (type.kind === "set") return hasUntypedPart(type.of);
  if (type.kind !== "record") return type.kind === "untyped";
  return type.open || [...type.fields.values()].some((field) => hasUntypedPart(field.type));
}

/**
 * Lists the accesses to the context. Cedar has no user-defined variables, so every access starts at `context`. If an
 * expression does not continue from `context` with `.` or `has`, it uses the context as a whole.
 */
function listContextAccesses(expression: ExpressionNode): ContextAccess[] {
  const path = readContextPath(expression);
  if (path) return [{ path, asWhole: true }];
  if ("has" in expression) {
    const { left, attr } = expression.has as { left: ExpressionNode; attr: string | string[] };
    const start = readContextPath(left);
    if (start) return [{ path: [...start, attr].flat(), asWhole: false }];
  }
  return listOperands(expression).flatMap(listContextAccesses);
}

function readContextPath(expression: ExpressionNode): string[] | undefined {
  if ("Var" in expression) return expression.Var === "context" ? [] : undefined;
  if (!("." in expression)) return undefined;
  const { left, attr } = expression["."] as { left: ExpressionNode; attr: string };
  const start = readContextPath(left);
  return start && [...start, attr];
}

/** An expression: one operator and its operands. */
type ExpressionNode = { readonly [operator: string]: unknown };

function listOperands(expression: ExpressionNode): ExpressionNode[] {
  const [[operator, applied] = []] = Object.entries(expression);
  if (operator === "Value" || typeof applied !== "object" || applied === null) return [];
  // A record holds its operands as values. A set or a function holds its operands as a list.
  if (operator === "Record" || Array.isArray(applied)) return Object.values(applied);
  const operands: ExpressionNode = { ...applied };
  const names = ["left", "right", "arg", "if", "then", "else", "in"];
  return names.filter((name) => name in operands).map((name) => operands[name] as ExpressionNode);
}
