import { CapabilityError, type Json } from "@paraph/core";
import { z } from "zod";
import { basisMoved } from "./basis.ts";
import type { Entry } from "./entry.ts";

/** What an operation rests on at one place: nothing there, or this very file or folder. */
export type Fact = z.output<typeof fact>;

const fact = z.union([
  z.object({ kind: z.literal("absent"), mark: z.null() }),
  z.object({ kind: z.enum(["file", "folder"]), mark: z.string() }),
]);

/** The destination is no more than `absent`: what is in the way refuses the call before there is a basis. */
const fromFact = z.object({ from: fact, to: fact });

export const nothingThere: Fact = { kind: "absent", mark: null };

export function factOf(entry: Entry): Fact {
  return entry.kind === "absent" ? nothingThere : { kind: entry.kind, mark: entry.mark };
}

export function isFact(approved: Fact, entry: Entry): boolean {
  const found = factOf(entry);
  return found.kind === approved.kind && found.mark === approved.mark;
}

export function demandFact(approved: Fact, entry: Entry, path: string): void {
  if (!isFact(approved, entry)) throw basisMoved(path);
}

export function approvedFact(raw: Json | undefined): Fact {
  return approved(fact, raw);
}

export function approvedSource(raw: Json | undefined): Fact {
  return approved(fromFact, raw).from;
}

/** Without a basis there is nothing to be conditional on. */
function approved<T>(schema: z.ZodType<T>, raw: Json | undefined): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw new CapabilityError(
    "permanent",
    "basis-missing",
    "The call came without the basis of its preview: preview it first.",
  );
}
