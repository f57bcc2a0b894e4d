import type { Json } from "@paraph/core";
import type { CallView } from "../../lib/api/api-views.ts";
import { placeCall, printCall, toCallExitCode } from "../../lib/calls/place-call.ts";
import type { Context } from "../../lib/context.ts";
import type { ExitCode } from "../../lib/exit-code.ts";
import { type AdminResult, isDone, printDone } from "../../lib/render/administration.ts";

export interface AdminCallOptions {
  readonly wait?: string;
  /** The minimum number of approvers. It applies if policy requires fewer. */
  readonly people?: number;
}

/**
 * Requests a call of `admin.*` as a person, and prints its result. The call waits for another person if policy requires
 * it.
 */
export async function runAdminCall<Output>(
  context: Context,
  verb: string,
  input: Json,
  options: AdminCallOptions,
  told: (output: Output) => AdminResult,
): Promise<ExitCode> {
  const call = await placeAdminCall(context, verb, input, options);
  if (context.json) context.output.json(call);
  else printAdminResult(context, call, told);
  return toCallExitCode(call);
}

export function placeAdminCall(
  context: Context,
  verb: string,
  input: Json,
  { wait, people }: AdminCallOptions,
): Promise<CallView> {
  const capability = `admin.${verb}`;
  const requirements = people === undefined ? {} : { requirements: { people } };
  return placeCall(
    context,
    "person",
    { capability, input, ...requirements },
    wait === undefined ? {} : { wait },
  );
}

export function printAdminResult<Output>(
  context: Context,
  call: CallView,
  told: (output: Output) => AdminResult,
): void {
  if (isDone(call)) printDone(context.output, call, told(call.output as Output));
  else printCall(context, call);
}
