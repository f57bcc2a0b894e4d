import { readCallInput } from "../call-input.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-code.ts";
import { placeCall, printCall, toCallExitCode } from "../place-call.ts";

export interface CallCommandOptions {
  readonly input?: string;
  readonly key?: string;
  readonly wait?: string;
  readonly purpose?: string;
  readonly session?: string;
}

/** Calls as the agent. Waits for a result, but for a person only with `--wait`. */
export async function makeCall(
  context: Context,
  capability: string,
  args: readonly string[],
  options: CallCommandOptions,
): Promise<ExitCode> {
  const { session, purpose } = options;
  const placed = await placeCall(
    context,
    "agent",
    {
      capability,
      input: await readCallInput(args, options.input),
      ...(session !== undefined && { session: { session } }),
      ...(purpose !== undefined && { purpose }),
    },
    options,
  );
  if (context.json) context.output.json(placed);
  else printCall(context, placed);
  return toCallExitCode(placed);
}
