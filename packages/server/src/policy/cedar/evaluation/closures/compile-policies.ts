import type {
  ActionConstraint,
  PrincipalConstraint,
  ResourceConstraint,
} from "@cedar-policy/cedar-wasm/nodejs";
import type { Evaluation } from "@paraph/core";
import type { ParsedPolicy } from "../../loading/policy-text.ts";
import { type EntityUid, EvaluationError, requireBoolean, UnsupportedExpression } from "./cedar-value.ts";
import type { ClosureRequest } from "./closure-request.ts";
import { compileExpression, type Expression, isIn, toEntityUid } from "./compile-expression.ts";

/** Policies as closures. Throws if the policies must be evaluated by Cedar for this request. */
export type CompiledPolicies = (request: ClosureRequest) => Evaluation;

interface CompiledPolicy {
  readonly id: string;
  readonly isPermit: boolean;
  /** Expressions that all hold if the policy applies. A later one is evaluated only if the earlier ones hold. */
  readonly tests: readonly Expression[];
}

/** Compiles policies. Returns undefined if one of them uses something that closures do not support. */
export function compilePolicies(policies: readonly ParsedPolicy[]): CompiledPolicies | undefined {
  const compiled: CompiledPolicy[] = [];
  for (const policy of policies) {
    const known = compilePolicyOnce(policy);
    if (!known) return undefined;
    compiled.push(known);
  }
  return (request) => evaluatePolicies(compiled, request);
}

/** A policy is part of the slice of every action that it applies to. */
const compiledPolicies = new WeakMap<ParsedPolicy, { readonly policy: CompiledPolicy | undefined }>();

function compilePolicyOnce(parsed: ParsedPolicy): CompiledPolicy | undefined {
  const known = compiledPolicies.get(parsed) ?? { policy: tryCompilePolicy(parsed) };
  compiledPolicies.set(parsed, known);
  return known.policy;
}

function tryCompilePolicy({ id, json }: ParsedPolicy): CompiledPolicy | undefined {
  try {
    const scopes = [
      compileScope(json.principal, (request) => request.principal),
      compileScope(json.action, (request) => request.action),
      compileScope(json.resource, (request) => request.resource),
    ];
    const conditions = json.conditions.map(({ kind, body }): Expression => {
      const condition = compileExpression(body);
      if (kind === "when") return condition;
      return (request) => !requireBoolean(condition(request));
    });
    return { id, isPermit: json.effect === "permit", tests: [...scopes.flat(), ...conditions] };
  } catch {
    return undefined;
  }
}

type Scope = PrincipalConstraint | ActionConstraint | ResourceConstraint;

function compileScope(scope: Scope, read: (request: ClosureRequest) => EntityUid): Expression[] {
  switch (scope.op) {
    case "All":
      return [];
    case "==": {
      const [only] = readEntities(scope);
      return [(request) => read(request).type === only!.type && read(request).id === only!.id];
    }
    case "in": {
      const ancestors = readEntities(scope);
      return [(request) => ancestors.some((each) => isIn(read(request), each, request))];
    }
    case "is": {
      const isType: Expression = (request) => read(request).type === scope.entity_type;
      return scope.in ? [isType, ...compileScope({ op: "in", ...scope.in }, read)] : [isType];
    }
    default:
      throw new UnsupportedExpression("scope");
  }
}

/** A template has a slot instead of an entity. */
function readEntities(scope: object): EntityUid[] {
  if ("entities" in scope) return (scope.entities as unknown[]).map(toEntityUid);
  if (!("entity" in scope)) throw new UnsupportedExpression("slot");
  return [toEntityUid(scope.entity)];
}

/** Combines the policies as Cedar does. If any policy fails, the whole evaluation fails. */
function evaluatePolicies(policies: readonly CompiledPolicy[], request: ClosureRequest): Evaluation {
  const permits: string[] = [];
  const forbids: string[] = [];
  const failing: string[] = [];
  for (const { id, isPermit, tests } of policies) {
    try {
      if (tests.every((test) => requireBoolean(test(request)))) (isPermit ? permits : forbids).push(id);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failing.push(id);
    }
  }
  if (failing.length > 0) {
    failing.sort();
    return { decision: "deny", policies: failing, errors: failing.map((id) => `policy-failed:${id}`) };
  }
  if (forbids.length > 0) return { decision: "deny", policies: forbids.sort(), errors: [], permits };
  if (permits.length > 0) return { decision: "allow", policies: permits.sort(), errors: [] };
  return { decision: "deny", policies: [], errors: [], permits };
}
