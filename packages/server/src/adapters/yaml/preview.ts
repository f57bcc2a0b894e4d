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
import { run } from "../process/index.ts";
import { filledArguments } from "./arguments.ts";
import { binaryHere, binaryOf } from "./binary.ts";
import { commandOf, type Ground } from "./command.ts";
import { failure, isOk } from "./ending.ts";
import type { ToolInput } from "./input-schema.ts";
import { scratchFolder } from "./scratch.ts";
import { scrubOf } from "./scrub.ts";
import { filled } from "./template.ts";
import type { Tool } from "./tool.ts";
import { sensitiveValues, shownValues, valuesOf } from "./values.ts";

/**
 * [P3] What would run, to the argument; and, where the tool's file has a command for it, what that puts out. The
 * definition is part of the basis: an approval does not hold for a file that was changed since.
 */
export async function preview(
  tool: Tool,
  ground: Ground,
  input: ToolInput,
  world: ExecutionContext,
): Promise<Preview> {
  const binary = await binaryOf(tool, ground);
  if (binary.kind === "missing") throw new CapabilityError("not-performed", "binary-missing", binary.message);
  const basis = { definition: digest(tool.definition as unknown as Json), binary: binary.path };
  const command = await shownCommand(tool, ground, input, world);
  const looked = tool.definition.preview && (await look(tool, ground, input, world));
  if (looked === undefined) return { changes: [changeOf(tool, command)], basis };
  const { shows, basis: rests } = tool.definition.preview!;
  return {
    changes: [
      shows === "diff"
        ? { ...changeOf(tool, command), diff: looked }
        : changeOf(tool, { ...command, output: looked }),
    ],
    basis: rests === "output" ? { ...basis, output: sha256Hex(looked) } : basis,
  };
}

function changeOf(tool: Tool, details: JsonObject): Change {
  return {
    kind: "run",
    target: tool.name,
    summary: `Runs \`${binaryHere(tool)}\`${tool.definition.sandbox ? " in a sandbox" : ", not in a sandbox"}`,
    details,
  };
}

async function shownCommand(
  tool: Tool,
  ground: Ground,
  input: ToolInput,
  world: ExecutionContext,
): Promise<JsonObject> {
  const { sandbox, cwd } = tool.definition;
  const values = await shownValues(tool, input, ground, world.key);
  const stdin = tool.stdin && filled(tool.stdin, values);
  return {
    arguments: filledArguments(tool.args, values),
    ...(stdin !== undefined && { stdin }),
    ...(cwd !== undefined && { folder: cwd }),
    environment: [...new Set([...ground.variables, ...tool.variables].map((one) => one.name))].sort(),
    sandbox: sandbox ? { network: sandbox.network } : "none",
  };
}

/** In a sandbox whatever the tool has otherwise: there it can change nothing. */
async function look(tool: Tool, ground: Ground, input: ToolInput, world: ExecutionContext): Promise<string> {
  await using scratch = await scratchFolder();
  const values = await valuesOf(tool, input, ground, world.key, scratch);
  const { secrets, ...command } = await commandOf({
    tool,
    ground,
    args: tool.previewArgs,
    values,
    scratch,
    world,
    looking: true,
  });
  const scrub = scrubOf(secrets, sensitiveValues(tool, input));
  const timeoutMs = milliseconds(tool.definition.preview!.timeout);
  const ran = await run({ ...command, timeoutMs });
  if (ran.truncated) throw tooMuch(tool);
  if (isOk(tool, ran)) {
    // Its files lie elsewhere each time, and where they lie is no part of what it says.
    return scrub(ran.stdout.toString("utf8")).replaceAll(scratch.folder, "[scratch]");
  }
  const fault = failure(tool, ran, scrub);
  if (ran.end === "exited" || ran.end === "not-started") throw fault;
  // Whatever it was at, it could change nothing.
  throw new CapabilityError(
    "not-performed",
    fault.code,
    `The preview of \`${tool.name}\` was stopped before its end.`,
  );
}

/** What is not shown is not approved. */
function tooMuch(tool: Tool): CapabilityError {
  const message = `The preview of \`${tool.name}\` puts out more than its \`output_limit\`: raise it, or have it say less.`;
  return new CapabilityError("permanent", "preview-too-large", message);
}
