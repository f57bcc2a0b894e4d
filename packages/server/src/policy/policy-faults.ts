import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SchemaFault } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { findRuleFaults, findTextFaults } from "./cedar/index.ts";

/**
 * Returns the policy faults that can be found without knowing any capability: unreadable files, invalid Cedar and
 * malformed rules. Paraph checks references to capabilities later, once the adapters are open.
 */
export function findPolicyFaults(
  { policies, rules }: Config,
  folder: string,
): { readonly faults: readonly SchemaFault[]; readonly others: readonly string[] } {
  const faults: SchemaFault[] = [...findRuleFaults(rules ?? [])];
  const others: string[] = [];
  for (const [index, file] of (policies ?? listCedarFiles(folder)).entries()) {
    try {
      const text = readFileSync(resolve(folder, file), "utf8");
      for (const { line, sentence } of findTextFaults({ file, text }))
        others.push(`${file}${line === undefined ? "" : `:${line}`}: ${sentence}`);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
      faults.push({ path: ["policies", index], message: `: \`${file}\` cannot be read (${code})` });
    }
  }
  return { faults, others };
}

/**
 * Returns every Cedar file in the folder `policies`. These are the default policies of a configuration that names none.
 */
export function listCedarFiles(folder: string): string[] {
  try {
    return readdirSync(join(folder, "policies"))
      .filter((name) => name.endsWith(".cedar"))
      .sort()
      .map((name) => `policies/${name}`);
  } catch {
    return [];
  }
}
