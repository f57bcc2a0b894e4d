import { ParaphError } from "@paraph/core";
import type { Trial } from "./trial.ts";

/** The trial a module has as its default export. */
export async function loadTrial(url: string): Promise<Trial> {
  const { default: trial } = (await import(url)) as { default?: Partial<Trial> };
  if (Array.isArray(trial?.cases) && trial.adapter) return trial as Trial;
  throw new ParaphError(
    "adapter-invalid",
    "The file has no trial as its default export: write `export default defineTrial({ … })`.",
  );
}
