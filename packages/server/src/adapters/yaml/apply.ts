import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { type Ran, run } from "../process/index.ts";
import { commandOf, type Ground } from "./command.ts";
import { failure, isOk } from "./ending.ts";
import type { ToolInput } from "./input-schema.ts";
import { linesTo } from "./lines.ts";
import { type Scratch, scratchFolder } from "./scratch.ts";
import { scrubOf } from "./scrub.ts";
import type { Tool } from "./tool.ts";
import type { ToolOutput } from "./tool-output.ts";
import { outputFile, sensitiveValues, valuesOf } from "./values.ts";

/** Runs the tool once, and says what came of it. */
export async function apply(
  tool: Tool,
  ground: Ground,
  input: ToolInput,
  world: ExecutionContext,
): Promise<ToolOutput> {
  await using scratch = await scratchFolder();
  const values = await valuesOf(tool, input, ground, world.key, scratch);
  const { secrets, ...command } = await commandOf({
    tool,
    ground,
    args: tool.args,
    values,
    scratch,
    world,
    looking: false,
  });
  const scrub = scrubOf(secrets);
  const ran = await run({ ...command, onOutput: linesTo((line) => world.progress({ output: scrub(line) })) });
  const hide = scrubOf(secrets, sensitiveValues(tool, input));
  if (!isOk(tool, ran)) throw failure(tool, ran, hide);
  const { content, truncated } = await written(tool, ran, scratch);
  const { error, ...reading } = tool.read(scrub(content.toString("utf8")));
  if (error === undefined) return { ...reading, exitCode: ran.exitCode!, truncated };
  const message = `\`${tool.name}\` says that it failed: ${hide(error)}`;
  throw new CapabilityError("permanent", "tool-failed", message);
}

/** What it wrote into its output file, where it was told of one; otherwise what it put out. */
async function written({ named, definition }: Tool, ran: Ran, scratch: Scratch) {
  const left = named.has("output_file") ? await scratch.read(outputFile, definition.output_limit) : undefined;
  return left ?? { content: ran.stdout, truncated: ran.truncated };
}
