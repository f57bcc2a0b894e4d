import { type Capability, defineCapability } from "@paraph/core";
import { createInputSchema } from "./definition/input-schema.ts";
import { fillTemplate } from "./definition/template.ts";
import type { Tool } from "./definition/tool.ts";
import { applyTool } from "./run/apply.ts";
import type { YamlContext } from "./run/command.ts";
import { previewTool } from "./run/preview.ts";
import { toolOutput } from "./run/tool-output.ts";

export function createToolCapability(tool: Tool, yamlContext: YamlContext): Capability {
  const { definition } = tool;
  const { effect, risk, version, timeout, sensitive, cost } = definition;
  return defineCapability({
    name: `${yamlContext.name}.${tool.name}`,
    version,
    summary: definition.summary ?? `Run ${tool.name}`,
    effect,
    ...(risk && { risk }),
    idempotency: definition.idempotency ?? (effect === "read" ? "natural" : "none"),
    input: createInputSchema(tool),
    output: toolOutput,
    sensitive,
    timeout,
    locks: (input) => {
      const values = new Map(Object.entries(input).map(([name, value]) => [name, String(value)]));
      return tool.locks.flatMap((lock) => fillTemplate(lock, values) ?? []);
    },
    preview: (input, context) => previewTool(tool, yamlContext, input, context),
    apply: (input, context) => applyTool(tool, yamlContext, input, context),
    ...(cost && { cost: () => cost.at_most }),
    // Rounds up, so that spent money never counts as zero.
    spent: (_, output) => (output.cost === undefined ? (cost?.at_most ?? 0) : Math.ceil(output.cost * 100)),
    tokens: (_, output) => output.tokens,
  });
}
