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

/** The adapter's name is not the configuration's to choose: policies speak of it, and it is never frozen. */
export const adminPrefix = adminAdapter;

type AdminCapabilityDefinition<I extends z.ZodType, O extends z.ZodType> = Omit<
  PerformedByParaph<I, O>,
  "name" | "version" | "effect" | "idempotency" | "probe" | "preview"
> & {
  readonly verb: string;
  /** The group one must be in; those who administer unless said. */
  readonly role?: string;
  readonly preview: NonNullable<PerformedByParaph<I, O>["preview"]>;
};

/**
 * A capability that administers. Policy rules on it as on any other; that only a person with the role may ask for it
 * holds besides, whatever the policies say and also where they are only observed.
 */
export function defineAdminCapability<I extends z.ZodType, O extends z.ZodType>(
  definition: AdminCapabilityDefinition<I, O>,
): Capability {
  const { verb, role = roles.admins, preview, apply, ...rest } = definition;
  const guarded = async <T>(world: ExecutionContext, body: () => Promise<T>): Promise<T> => {
    requireRole(world, role);
    try {
      return await body();
    } catch (error) {
      throw toDatabaseFault(error);
    }
  };
  return defineCapability<I, O>({
    ...rest,
    name: `${adminPrefix}.${verb}`,
    version: 1,
    effect: "write",
    // Whatever is created is known by the call's id, and everything else leads to the same state again.
    idempotency: "keyed",
    preview: (input, world) => guarded(world, () => preview(input, world)),
    apply: (input, world) => guarded(world, () => apply(input, world)),
  });
}

/** [P11] Groups as they are now, not as they were when the call was made: who lost the role meanwhile has lost it. */
function requireRole({ principal }: ExecutionContext, role: string): void {
  if (principal.kind === "person" && principal.groups?.includes(role)) return;
  throw createRefusal("not-administrator", `Only a person in the group \`${role}\` can do this.`);
}

/** Nothing was done, and asking again would not help. */
export function createRefusal(code: string, message: string): CapabilityError {
  return new CapabilityError("permanent", code, message);
}

/**
 * [P8] What PostgreSQL itself refused was rolled back. A connection that broke says nothing about what was committed, and
 * everything here is safe to repeat. Whatever else was thrown is judged where every capability's faults are.
 */
function toDatabaseFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CapabilityError) return error;
  const { code } = error as { code?: unknown };
  const kind = typeof code === "string" && sqlStatePattern.test(code) ? toFaultKind(code) : undefined;
  const broken = code === undefined && error.message.startsWith("Connection terminated");
  if (kind === undefined && !broken) return error;
  return new CapabilityError(kind ?? "ambiguous", "database", "The database did not carry it out.");
}

const sqlStatePattern = /^[0-9][0-9A-Z]{4}$/;

/** Connection, rollback, resources, operator: another time it may go well. */
function toFaultKind(code: string): FaultKind {
  return /^(?:08|40|53|55|57)/.test(code) ? "not-performed" : "permanent";
}

/** What a call creates is called after it: repeated, it creates nothing new. */
export function toCreatedId(prefix: "freeze" | "grant", { key }: ExecutionContext): string {
  return `${prefix}_${key.replace(/^call_/, "")}`;
}
