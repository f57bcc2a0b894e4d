import {
  CapabilityError,
  type Change,
  digest,
  type ExecutionContext,
  type Json,
  type JsonObject,
  milliseconds,
  type Preview,
  sha256Hex,
} from "@paraph/core";
import { runProcess } from "../../process/index.ts";
import { fillArguments } from "../definition/arguments.ts";
import type { ToolInput } from "../definition/input-schema.ts";
import { fillTemplate } from "../definition/template.ts";
import type { Tool } from "../definition/tool.ts";
import { findBinary, getPlatformBinary } from "./binary.ts";
import { createToolCommand, type YamlContext } from "./command.ts";
import { createToolScratch } from "./scratch.ts";
import { createScrubber } from "./scrub.ts";
import { isSuccess, toToolFault } from "./tool-result.ts";
import { createShownValues, createValues, listSensitiveValues } from "./values.ts";

/**
 * [P3] Previews the exact command. If the tool's file has a preview command, the preview includes the output of that
 * command. The preview's basis includes the definition, so an approval does not cover a definition that changes after
 * the preview.
 */
export async function previewTool(
  tool: Tool,
  yamlContext: YamlContext,
  input: ToolInput,
  context: ExecutionContext,
): Promise<Preview> {
  const binary = await findBinary(tool, yamlContext);
  if (binary.kind === "missing") throw new CapabilityError("not-performed", "binary-missing", binary.message);
  const basis = { definition: digest(tool.definition as unknown as Json), binary: binary.path };
  const command = await describeCommand(tool, yamlContext, input, context);
  const looked = tool.definition.preview && (await runPreview(tool, yamlContext, input, context));
  if (looked === undefined) return { changes: [toRunChange(tool, command)], basis };
  const { shows, basis: rests } = tool.definition.preview!;
  return {
    changes: [
      shows === "diff"
        ? { ...toRunChange(tool, command), diff: looked }
        : toRunChange(tool, { ...command, output: looked }),
    ],
    basis: rests === "output" ? { ...basis, output: sha256Hex(looked) } : basis,
  };
}

function toRunChange(tool: Tool, details: JsonObject): Change {
  return {
    kind: "run",
    target: tool.name,
    summary: `Runs \`${getPlatformBinary(tool)}\`${tool.definition.sandbox ? " in a sandbox" : ", not in a sandbox"}`,
    details,
  };
}

async function describeCommand(
  tool: Tool,
  yamlContext: YamlContext,
  input: ToolInput,
  context: ExecutionContext,
): Promise<JsonObject> {
  const { sandbox, cwd } = tool.definition;
  const values = await createShownValues(tool, input, yamlContext, context.key);
  const stdin = tool.stdin && fillTemplate(tool.stdin, values);
  return {
    arguments: fillArguments(tool.args, values),
    ...(stdin !== undefined && { stdin }),
    ...(cwd !== undefined && { folder: cwd }),
    environment: [...new Set([...yamlContext.variables, ...tool.variables].map((one) => one.name))].sort(),
    sandbox: sandbox ? { network: sandbox.network } : "none",
  };
}

/** Runs the preview command. It always runs in a sandbox, where it cannot change anything. */
async function runPreview(
  tool: Tool,
  yamlContext: YamlContext,
  input: ToolInput,
  context: ExecutionContext,
): Promise<string> {
  await using scratch = await createToolScratch();
  const values = await createValues(tool, input, yamlContext, context.key, scratch);
  const { secrets, ...command } = await createToolCommand({
    tool,
    context: yamlContext,
    args: tool.previewArgs,
    values,
    scratch,
    world: context,
    isPreview: true,
  });
  const scrub = createScrubber(secrets, listSensitiveValues(tool, input));
  const timeoutMs = milliseconds(tool.definition.preview!.timeout);
  const ran = await runProcess({ ...command, timeoutMs });
  if (ran.truncated) throw previewTooLargeFault(tool);
  if (isSuccess(tool, ran)) {
    // The path of the scratch folder differs at each run, so a marker replaces it in the preview.
    return scrub(ran.stdout.toString("utf8")).replaceAll(scratch.folder, "[scratch]");
  }
  const fault = toToolFault(tool, ran, scrub);
  if (ran.end === "exited" || ran.end === "not-started") throw fault;
  // The preview could not change anything, so the fault is `not-performed`.
  throw new CapabilityError(
    "not-performed",
    fault.code,
    `The preview of \`${tool.name}\` was stopped before it finished.`,
  );
}

/**
 * Creates the error for a truncated preview. Truncation is an error, because an approver must see the whole preview.
 */
function previewTooLargeFault(tool: Tool): CapabilityError {
  const message = `The preview of \`${tool.name}\` prints more than its \`output_limit\`. Raise the limit, or reduce the output.`;
  return new CapabilityError("permanent", "preview-too-large", message);
}
