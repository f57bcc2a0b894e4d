import type { Health } from "@paraph/core";
import { sandboxHere } from "../process/index.ts";
import { binaryOf } from "./binary.ts";
import type { Ground } from "./command.ts";
import { faultLines } from "./faults.ts";
import type { Loaded } from "./load.ts";
import type { Versions } from "./versions.ts";

/** Whether every tool could run: its file is right, its binary is there, and its sandbox where it needs one. */
export async function healthOf(
  { tools, faults }: Loaded,
  ground: Ground,
  versions: Versions,
  signal: AbortSignal,
): Promise<Health> {
  if (faults.length > 0) {
    return {
      kind: "degraded",
      code: "tools-invalid",
      message: `Some tools are left out:${faultLines(faults)}`,
    };
  }
  const found = await Promise.all(
    tools.map(async (tool) => ({ tool, binary: await binaryOf(tool, ground) })),
  );
  const missing = found.flatMap(({ binary }) => (binary.kind === "missing" ? [binary.message] : []));
  if (missing.length > 0) return { kind: "degraded", code: "binary-missing", message: missing.join(" ") };
  if (tools.some(({ definition }) => definition.sandbox || definition.preview)) {
    const sandbox = await sandboxHere();
    if (sandbox.kind === "missing")
      return { kind: "degraded", code: "sandbox-missing", message: sandbox.message };
  }
  const told = found.map(async ({ tool, binary }) => {
    const version = binary.kind === "found" && (await versions.of(tool, binary.path, signal));
    return `\`${tool.name}\` ${version || "is there"}`;
  });
  return { kind: "well", message: `${(await Promise.all(told)).join(", ")}.` };
}
