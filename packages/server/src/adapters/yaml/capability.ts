import { type Capability, defineCapability } from "@paraph/core";
import { apply } from "./apply.ts";
import type { Ground } from "./command.ts";
import { inputSchema } from "./input-schema.ts";
import { preview } from "./preview.ts";
import { filled } from "./template.ts";
import type { Tool } from "./tool.ts";
import { toolOutput } from "./tool-output.ts";

/** A tool as a capability. */
export function capabilityOf(tool: Tool, ground: Ground): Capability {
  const { definition } = tool;
  const { effect, risk, version, timeout, sensitive, cost } = definition;
  return defineCapability({
    name: `${ground.name}.${tool.name}`,
    version,
    summary: definition.summary ?? `Run ${tool.name}`,
    effect,
    ...(risk && { risk }),
    idempotency: definition.idempotency ?? (effect === "read" ? "natural" : "none"),
    input: inputSchema(tool),
    output: toolOutput,
    sensitive,
    timeout,
    locks: (input) => {
      const values = new Map(Object.entries(input).map(([name, value]) => [name, String(value)]));
      return tool.locks.flatMap((lock) => filled(lock, values) ?? []);
    },
    preview: (input, world) => preview(tool, ground, input, world),
    apply: (input, world) => apply(tool, ground, input, world),
    ...(cost && { cost: () => cost.at_most }),
    // Money that was spent is not rounded away.
    spent: (_, output) => (output.cost === undefined ? (cost?.at_most ?? 0) : Math.ceil(output.cost * 100)),
    tokens: (_, output) => output.tokens,
  });
}
