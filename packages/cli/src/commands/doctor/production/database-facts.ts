import type { DatabaseInspection } from "@paraph/server";

/** The facts of one part of the inspection, such as `durability`. */
export type DatabaseFacts<P extends keyof DatabaseInspection> = Extract<
  DatabaseInspection[P],
  { readonly value: unknown }
>["value"];
