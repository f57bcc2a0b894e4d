import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { FollowContext, ToolAnswer } from "../follow-call.ts";
import { toErrorResult } from "../tools/tool-result.ts";
import type { Toolboxes } from "../tools/toolbox.ts";

/** The dependencies of Paraph's own tools. */
export interface ToolContext extends FollowContext {
  readonly toolboxes: Toolboxes;
}

/** A tool of Paraph itself, which calls the same service as the other surfaces. */
export interface BuiltinTool {
  readonly definition: Tool;
  run(given: unknown, toolContext: ToolContext): Promise<ToolAnswer>;
}

/** Defines a tool that validates its arguments before it runs. */
export function defineBuiltinTool<S extends z.ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly annotations: ToolAnnotations;
  readonly run: (input: z.output<S>, toolContext: ToolContext) => Promise<ToolAnswer>;
}): BuiltinTool {
  const { name, description, input, annotations, run } = tool;
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    definition: { name, description, inputSchema: inputSchema as Tool["inputSchema"], annotations },
    run: async (given, toolContext) => {
      const read = input.safeParse(given);
      if (read.success) return run(read.data, toolContext);
      const faults = read.error.issues.map(
        ({ path, message }) => `${path.join(".") || "(the whole)"}: ${message}`,
      );
      return toErrorResult(`The arguments of \`${name}\` are not valid: ${faults.join("; ")}.`);
    },
  };
}

/** [TRUST 9] The result for a call that does not exist. It is also the result for another principal's call. */
export const callNotFound = toErrorResult("You have no call with this id. Check the id.");
