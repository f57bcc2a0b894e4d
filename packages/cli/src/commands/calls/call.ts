import { readCallInput, suggestJsonMembers } from "../../lib/calls/call-input.ts";
import { explainUnknownCapability } from "../../lib/calls/explain-unknown-capability.ts";
import { placeCall, printCall, printMissingApprovers, toCallExitCode } from "../../lib/calls/place-call.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import type { ExitCode } from "../../lib/exit-code.ts";

export interface CallCommandOptions {
  readonly input?: string;
  readonly key?: string;
  readonly wait?: string;
  readonly purpose?: string;
  readonly session?: string;
  readonly thread?: string;
  readonly state?: string;
}

/** Requests a call as the agent and waits for its result. The command waits for an approval only with `--wait`. */
export async function makeCall(
  context: Context,
  capability: string,
  args: readonly string[],
  options: CallCommandOptions,
): Promise<ExitCode> {
  const { session, thread, purpose, state } = options;
  const placed = await placeCall(
    context,
    "agent",
    {
      capability,
      input: await readCallInput(args, options.input),
      ...((session !== undefined || thread !== undefined) && {
        session: { ...(session !== undefined && { session }), ...(thread !== undefined && { thread }) },
      }),
      ...(purpose !== undefined && { purpose }),
      ...(state !== undefined && { compressedState: state }),
    },
    options,
  ).catch(async (error: unknown) => {
    throw await explainUnknownCapability(addInputAdvice(error, args), capability, context, "agent");
  });
  if (context.json) context.output.json(placed);
  else {
    printCall(context, placed);
    await printMissingApprovers(context, placed);
  }
  return toCallExitCode(placed);
}

function addInputAdvice(error: unknown, args: readonly string[]): unknown {
  if (!(error instanceof CliError) || error.code !== "input-invalid") return error;
  const advice = suggestJsonMembers(args, error.message);
  if (advice === undefined) return error;
  const { code, message, exitCode, cause } = error;
  return new CliError(code, `${message}\n${advice}`, { exitCode, cause });
}
