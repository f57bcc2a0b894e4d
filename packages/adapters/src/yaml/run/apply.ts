import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { type ProcessResult, runProcess } from "../../process/index.ts";
import type { ToolInput } from "../definition/input-schema.ts";
import type { Tool } from "../definition/tool.ts";
import { createToolCommand, type YamlContext } from "./command.ts";
import { createLineSplitter } from "./progress-lines.ts";
import { createToolScratch, type ToolScratch } from "./scratch.ts";
import { createScrubber } from "./scrub.ts";
import type { ToolOutput } from "./tool-output.ts";
import { isSuccess, toToolFault } from "./tool-result.ts";
import { createValues, listSensitiveValues, outputFileName } from "./values.ts";

/** Runs the tool once and returns its output. */
export async function applyTool(
  tool: Tool,
  yamlContext: YamlContext,
  input: ToolInput,
  context: ExecutionContext,
): Promise<ToolOutput> {
  await using scratch = await createToolScratch();
  const values = await createValues(tool, input, yamlContext, context.key, scratch);
  const { secrets, ...command } = await createToolCommand({
    tool,
    context: yamlContext,
    args: tool.args,
    values,
    scratch,
    world: context,
    isPreview: false,
  });
  const scrub = createScrubber(secrets);
  const ran = await runProcess({
    ...command,
    onOutput: createLineSplitter((line) => context.progress({ output: scrub(line) })),
  });
  const hide = createScrubber(secrets, listSensitiveValues(tool, input));
  if (!isSuccess(tool, ran)) throw toToolFault(tool, ran, hide);
  const { content, truncated } = await readToolOutput(tool, ran, scratch);
  const { error, ...reading } = tool.readOutput(scrub(content.toString("utf8")));
  if (error === undefined) return { ...reading, exitCode: ran.exitCode!, truncated };
  const message = `\`${tool.name}\` reported an error: ${hide(error)}`;
  throw new CapabilityError("permanent", "tool-failed", message);
}

/** Returns the content of the output file if the tool has one, else the standard output. */
async function readToolOutput({ namedValues, definition }: Tool, ran: ProcessResult, scratch: ToolScratch) {
  const left = namedValues.has("output_file")
    ? await scratch.read(outputFileName, definition.output_limit)
    : undefined;
  return left ?? { content: ran.stdout, truncated: ran.truncated };
}
