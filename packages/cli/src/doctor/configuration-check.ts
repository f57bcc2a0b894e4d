import { basename } from "node:path";
import type { Check } from "./checks.ts";

/** Loads the configuration as `paraph dev` would, and counts what it offers. */
export async function configurationCheck(folder: string): Promise<Check> {
  const name = "configuration";
  try {
    const { findConfiguration, loadConfiguration } = await import("../dev/configuration.ts");
    const file = findConfiguration(folder);
    if (file === undefined) return { name, state: "ok", says: "built in: files below ./workspace" };
    const config = await loadConfiguration(file);
    const adapted = Object.entries(config.adapters ?? {}).flatMap(([adapter, make]) => make(adapter, folder));
    const count = adapted.length + (config.capabilities?.length ?? 0);
    return {
      name,
      state: "ok",
      says: `${basename(file)}: ${count} ${count === 1 ? "capability" : "capabilities"}`,
    };
  } catch (error) {
    return {
      name,
      state: "fail",
      says: (error as Error).message,
      advice: "mend it and run `paraph doctor` again",
    };
  }
}
