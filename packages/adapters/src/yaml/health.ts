import type { Health } from "@paraph/core";
import { findSandbox } from "../process/index.ts";
import { formatFaults } from "./definition/format-faults.ts";
import type { LoadedTools } from "./load.ts";
import { findBinary } from "./run/binary.ts";
import type { YamlContext } from "./run/command.ts";
import type { VersionCache } from "./versions.ts";

/**
 * Checks whether every tool can run: its file is valid, its binary exists, and its sandbox is available if it needs
 * one.
 */
export async function checkToolsHealth(
  { tools, faults }: LoadedTools,
  yamlContext: YamlContext,
  versions: VersionCache,
  signal: AbortSignal,
): Promise<Health> {
  if (faults.length > 0) {
    return {
      kind: "degraded",
      code: "tools-invalid",
      message: `Paraph left out some tools, because their definitions have errors:${formatFaults(faults)}`,
    };
  }
  const found = await Promise.all(
    tools.map(async (tool) => ({ tool, binary: await findBinary(tool, yamlContext) })),
  );
  const missing = found.flatMap(({ binary }) => (binary.kind === "missing" ? [binary.message] : []));
  if (missing.length > 0) return { kind: "degraded", code: "binary-missing", message: missing.join(" ") };
  if (tools.some(({ definition }) => definition.sandbox || definition.preview)) {
    const sandbox = await findSandbox();
    if (sandbox.kind === "missing")
      return { kind: "degraded", code: "sandbox-missing", message: sandbox.message };
  }
  const told = found.map(async ({ tool, binary }) => {
    const version = binary.kind === "found" && (await versions.read(tool, binary.path, signal));
    return `\`${tool.name}\` ${version || "is installed"}`;
  });
  return { kind: "well", message: `${(await Promise.all(told)).join(", ")}.` };
}
