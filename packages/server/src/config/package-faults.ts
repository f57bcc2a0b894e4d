import { findPackageJSON } from "node:module";
import type { SchemaFault } from "@paraph/core";
import type { Config } from "./config.ts";

/** Returns a fault for every optional package that the configuration needs and that is not installed. */
export function listPackageFaults(
  { checks, intents }: Config,
  isInstalled = isPackageInstalled,
): SchemaFault[] {
  const models = [
    ["checks", checks?.model],
    ["intents", intents?.model],
  ] as const;
  return models.flatMap(([key, model]) => {
    if (!model) return [];
    const missing = ["ai", ...("url" in model ? ["@ai-sdk/openai-compatible"] : [])].filter(
      (name) => !isInstalled(name),
    );
    if (missing.length === 0) return [];
    const message = `needs packages that are not installed. Run \`npm install ${missing.join(" ")}\`.`;
    return [{ path: [key, "model"], message }];
  });
}

function isPackageInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
