import type { Expr } from "@cedar-policy/cedar-wasm/nodejs";
import {
  type CedarRecord,
  type CedarValue,
  EntityUid,
  EvaluationError,
  includes,
  includesAll,
  includesAny,
  isSameValue,
  requireBoolean,
  requireEntity,
  requireLong,
  requireSet,
  requireText,
  toExactLong,
  UnsupportedExpression,
} from "./cedar-value.ts";
import type { ClosureRequest } from "./closure-request.ts";
import { compilePattern } from "./compile-pattern.ts";

/** A compiled expression. Throws `EvaluationError` where Cedar reports an error. */
export type Expression = (request: ClosureRequest) => CedarValue;

/** The operands of an operator in Cedar's JSON format. */
type Operands = Readonly<Record<string, unknown>>;
type BinaryOperator = (left: CedarValue, right: CedarValue, request: ClosureRequest) => CedarValue;

/** Deeper expressions are left to Cedar, because a closure calls the closures of its operands. */
const maxDepth = 300;

/** Compiles an expression in Cedar's JSON format. Throws `UnsupportedExpression` for every form that it does not know. */
export function compileExpression(expression: Expr, depth = 0): Expression {
  const [[operator, applied] = [], ...others] = Object.entries(expression);
  if (operator === undefined || others.length > 0 || depth > maxDepth)
    throw new UnsupportedExpression("form of expression");
  const compile = (operand: unknown) => compileExpression(operand as Expr, depth + 1);
  if (operator === "Value") return compileLiteral(applied);
  if (operator === "Var") return compileVariable(applied);
  if (operator === "Set") return compileSet((applied as Expr[]).map(compile), applied as Expr[]);
  const operands = applied as Operands;
  const binary = binaryOperators.get(operator);
  if (binary) {
    const [left, right] = [compile(operands.left), compile(operands.right)];
    return (request) => binary(left(request), right(request), request);
  }
  const compileForm = forms.get(operator);
  if (!compileForm) throw new UnsupportedExpression(operator);
  return compileForm(operands, compile);
}

const binaryOperators: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ["==", isSameValue],
  ["!=", (left, right) => !isSameValue(left, right)],
  ["<", (left, right) => requireLong(left) < requireLong(right)],
  ["<=", (left, right) => requireLong(left) <= requireLong(right)],
  [">", (left, right) => requireLong(left) > requireLong(right)],
  [">=", (left, right) => requireLong(left) >= requireLong(right)],
  ["+", (left, right) => toExactLong(requireLong(left) + requireLong(right))],
  ["-", (left, right) => toExactLong(requireLong(left) - requireLong(right))],
  ["*", (left, right) => toExactLong(requireLong(left) * requireLong(right))],
  ["in", (left, right, request) => isInAny(requireEntity(left), right, request)],
  ["contains", (left, right) => includes(requireSet(left), right)],
  ["containsAll", (left, right) => includesAll(requireSet(left), requireSet(right))],
  ["containsAny", (left, right) => includesAny(requireSet(left), requireSet(right))],
]);

type CompileForm = (operands: Operands, compile: (operand: unknown) => Expression) => Expression;

/** The operators that do not evaluate exactly two operands. */
const forms: ReadonlyMap<string, CompileForm> = new Map<string, CompileForm>([
  ["&&", compileAnd],
  ["||", compileOr],
  ["!", ({ arg }, compile) => mapValue(compile(arg), (value) => !requireBoolean(value))],
  ["neg", ({ arg }, compile) => mapValue(compile(arg), (value) => -requireLong(value))],
  ["isEmpty", ({ arg }, compile) => mapValue(compile(arg), (value) => requireSet(value).length === 0)],
  [".", compileAttribute],
  ["has", compileHas],
  ["like", compileLike],
  ["is", compileIs],
  ["if-then-else", compileCondition],
  ["Record", compileRecord],
]);

function mapValue(expression: Expression, convert: (value: CedarValue) => CedarValue): Expression {
  return (request) => convert(expression(request));
}

function compileAnd(operands: Operands, compile: (operand: unknown) => Expression): Expression {
  const [left, right] = [compile(operands.left), compile(operands.right)];
  return (request) => requireBoolean(left(request)) && requireBoolean(right(request));
}

function compileOr(operands: Operands, compile: (operand: unknown) => Expression): Expression {
  const [left, right] = [compile(operands.left), compile(operands.right)];
  return (request) => requireBoolean(left(request)) || requireBoolean(right(request));
}

function compileCondition(operands: Operands, compile: (operand: unknown) => Expression): Expression {
  const [condition, yes, no] = [compile(operands.if), compile(operands.then), compile(operands.else)];
  return (request) => (requireBoolean(condition(request)) ? yes(request) : no(request));
}

function compileAttribute({ left, attr }: Operands, compile: (operand: unknown) => Expression): Expression {
  const owner = compile(left);
  const name = attr as string;
  return (request) => {
    const attributes = readAttributes(owner(request), request);
    if (!Object.hasOwn(attributes, name)) throw new EvaluationError("no such attribute");
    return attributes[name]!;
  };
}

/** `a has b.c` means `a has b && a.b has c`. */
function compileHas({ left, attr }: Operands, compile: (operand: unknown) => Expression): Expression {
  const owner = compile(left);
  const path = [attr].flat() as string[];
  return (request) => {
    let value = owner(request);
    for (const name of path) {
      const attributes = readAttributes(value, request);
      if (!Object.hasOwn(attributes, name)) return false;
      value = attributes[name]!;
    }
    return true;
  };
}

function compileLike({ left, pattern }: Operands, compile: (operand: unknown) => Expression): Expression {
  const matches = compilePattern(pattern);
  return mapValue(compile(left), (value) => matches(requireText(value)));
}

function compileIs(operands: Operands, compile: (operand: unknown) => Expression): Expression {
  const entity = compile(operands.left);
  const type = operands.entity_type;
  const within = operands.in === undefined ? undefined : compile(operands.in);
  return (request) => {
    const value = requireEntity(entity(request));
    return value.type === type && (!within || isInAny(value, within(request), request));
  };
}

function compileRecord(operands: Operands, compile: (operand: unknown) => Expression): Expression {
  const fields = Object.entries(operands).map(([name, value]) => [name, compile(value)] as const);
  return (request) => {
    // Without a prototype, because a policy may use any name, including `__proto__`.
    const record: Record<string, CedarValue> = Object.create(null);
    for (const [name, value] of fields) record[name] = value(request);
    return record;
  };
}

function compileSet(members: readonly Expression[], nodes: readonly Expr[]): Expression {
  if (!nodes.every((node) => "Value" in node)) return (request) => members.map((member) => member(request));
  const literals = nodes.map((node) => toLiteral((node as { Value: unknown }).Value));
  return () => literals;
}

function compileLiteral(value: unknown): Expression {
  const literal = toLiteral(value);
  return () => literal;
}

/** In a policy's text, sets and records are operators. Every other literal is a text, a boolean, a number or an entity. */
function toLiteral(value: unknown): CedarValue {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return toExactLong(value);
  if (typeof value === "object" && value !== null && "__entity" in value) return toEntityUid(value.__entity);
  throw new UnsupportedExpression("literal");
}

export function toEntityUid(value: unknown): EntityUid {
  const { type, id } = Object(value) as { readonly type?: unknown; readonly id?: unknown };
  if (typeof type !== "string" || typeof id !== "string") throw new UnsupportedExpression("entity");
  return new EntityUid(type, id);
}

function compileVariable(name: unknown): Expression {
  switch (name) {
    case "principal":
      return (request) => request.principal;
    case "action":
      return (request) => request.action;
    case "resource":
      return (request) => request.resource;
    case "context":
      return (request) => request.context;
    default:
      throw new UnsupportedExpression("variable");
  }
}

/** Only the principal has attributes. Reading one of another entity is an error, as reading a missing attribute is. */
function readAttributes(value: CedarValue, request: ClosureRequest): CedarRecord {
  if (value instanceof EntityUid)
    return isSameValue(value, request.principal) ? request.principalAttributes : noAttributes;
  if (typeof value !== "object" || Array.isArray(value)) throw new EvaluationError("no record or entity");
  return value as CedarRecord;
}

const noAttributes: CedarRecord = Object.freeze(Object.create(null));

function isInAny(entity: EntityUid, target: CedarValue, request: ClosureRequest): boolean {
  if (!Array.isArray(target)) return isIn(entity, requireEntity(target), request);
  const targets = target.map(requireEntity);
  return targets.some((each) => isIn(entity, each, request));
}

/** Whether an entity is another one or a descendant of it. Only the principal and actions have parents. */
export function isIn(entity: EntityUid, ancestor: EntityUid, request: ClosureRequest): boolean {
  if (isSameValue(entity, ancestor)) return true;
  if (isSameValue(entity, request.principal))
    return ancestor.type === "Group"
      ? request.principalGroups.has(ancestor.id)
      : isSameValue(ancestor, request.resource);
  if (entity.type !== "Action") return false;
  if (entity.id !== request.action.id) throw new UnsupportedExpression("the groups of another action");
  return ancestor.type === "Action" && request.actionGroups.includes(ancestor.id);
}
