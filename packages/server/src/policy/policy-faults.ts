import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SchemaFault } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { faultsOfRules, faultsOfText } from "./cedar/index.ts";

/**
 * What is wrong with the policies whatever capabilities there are: files that cannot be read or are not Cedar, rules without
 * their form. What they say about capabilities is checked once the adapters are open.
 */
export function policyFaults(
  { policies, rules }: Config,
  folder: string,
): { readonly faults: readonly SchemaFault[]; readonly others: readonly string[] } {
  const faults: SchemaFault[] = [...faultsOfRules(rules ?? [])];
  const others: string[] = [];
  for (const [index, file] of (policies ?? cedarFilesIn(folder)).entries()) {
    try {
      const text = readFileSync(resolve(folder, file), "utf8");
      for (const { line, sentence } of faultsOfText({ file, text }))
        others.push(`${file}${line === undefined ? "" : `:${line}`}: ${sentence}`);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
      faults.push({ path: ["policies", index], message: `: \`${file}\` cannot be read (${code})` });
    }
  }
  return { faults, others };
}

/** The policies of a configuration that names none: every Cedar file in the folder `policies`. */
export function cedarFilesIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, "policies"))
      .filter((name) => name.endsWith(".cedar"))
      .sort()
      .map((name) => `policies/${name}`);
  } catch {
    return [];
  }
}
