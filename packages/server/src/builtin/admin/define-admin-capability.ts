import {
  adminAdapter,
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type FaultKind,
  type PerformedByParaph,
  roles,
} from "@paraph/core";
import type { z } from "zod";

/**
 * The reserved name of the administrative adapter. Policies refer to this name, and Paraph never freezes the adapter.
 */
export const adminPrefix = adminAdapter;

type AdminCapabilityDefinition<I extends z.ZodType, O extends z.ZodType> = Omit<
  PerformedByParaph<I, O>,
  "name" | "version" | "effect" | "idempotency" | "probe" | "preview"
> & {
  readonly verb: string;
  /** The version of the contract (default: 1). */
  readonly version?: number;
  /**
   * The group that the requester must be in (default: administrators). `any` admits every person, and the capability
   * checks whose record it changes.
   */
  readonly role?: string;
  readonly preview: NonNullable<PerformedByParaph<I, O>["preview"]>;
};

/**
 * Defines an administrative capability. Policies apply to it as to any other capability. Regardless of policy and even
 * in observe mode, only a person with the role may request it.
 */
export function defineAdminCapability<I extends z.ZodType, O extends z.ZodType>(
  definition: AdminCapabilityDefinition<I, O>,
): Capability {
  const { verb, version = 1, role = roles.admins, preview, apply, ...rest } = definition;
  const guarded = async <T>(context: ExecutionContext, body: () => Promise<T>): Promise<T> => {
    requireRole(context, role);
    try {
      return await body();
    } catch (error) {
      throw toDatabaseFault(error);
    }
  };
  return defineCapability<I, O>({
    ...rest,
    name: `${adminPrefix}.${verb}`,
    version,
    effect: "write",
    // A repetition changes nothing: a created record takes its id from the call, and every other change leads to the
    // same state.
    idempotency: "keyed",
    preview: (input, context) => guarded(context, () => preview(input, context)),
    apply: (input, context) => guarded(context, () => apply(input, context)),
  });
}

/**
 * [P11] Checks the current groups, not the groups at the time of the request. A person who has lost the role since the
 * request is rejected.
 */
function requireRole({ principal }: ExecutionContext, role: string): void {
  if (principal.kind === "person" && (role === "any" || principal.groups?.includes(role))) return;
  if (role === "any") throw createRefusal("not-a-person", "Only a person can do this.");
  throw createRefusal("not-administrator", `Only a person in the group \`${role}\` can do this.`);
}

/** Creates a permanent error. It means that the call changed nothing and that a retry would not help. */
export function createRefusal(code: string, message: string): CapabilityError {
  return new CapabilityError("permanent", code, message);
}

/**
 * [P8] Classifies a database error. If PostgreSQL rejects a statement, it rolls the statement back, so nothing has
 * changed. If the connection breaks, the commit is uncertain, but every change here is safe to repeat. The core
 * classifies all other errors.
 */
function toDatabaseFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CapabilityError) return error;
  const { code } = error as { code?: unknown };
  const kind = typeof code === "string" && sqlStatePattern.test(code) ? toFaultKind(code) : undefined;
  const broken = code === undefined && error.message.startsWith("Connection terminated");
  if (kind === undefined && !broken) return error;
  return new CapabilityError(kind ?? "ambiguous", "database", "The request to PostgreSQL failed.");
}

const sqlStatePattern = /^[0-9][0-9A-Z]{4}$/;

/**
 * Classifies a PostgreSQL error code. Connection failures, rollbacks, lack of resources and operator intervention are
 * temporary, so a retry may succeed.
 */
function toFaultKind(code: string): FaultKind {
  return /^(?:08|40|53|55|57)/.test(code) ? "not-performed" : "permanent";
}

/** Derives the id of a created record from the call, so that a repetition creates nothing new. */
export function toCreatedId(prefix: "freeze" | "grant", { key }: ExecutionContext): string {
  return `${prefix}_${key.replace(/^call_/, "")}`;
}
