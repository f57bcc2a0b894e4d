import { isDuration } from "@paraph/core";
import { z } from "zod";

/** A map with one schema per key of `T`. If a key has no schema, the code does not compile. */
export type Shape<T> = Readonly<Record<keyof T, z.ZodType>>;

export const text = z.string().min(1);
export const texts = z.array(text);
export const duration = z
  .string()
  .refine(isDuration, "expected a duration, such as `30s` or `24h`")
  .meta({ typeName: "duration" });
export const positive = z.int().positive();
