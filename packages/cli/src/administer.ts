import type { Json } from "@paraph/core";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-code.ts";
import { exitCodeFor, placeCall, tellCall } from "./place-call.ts";
import { awaitsNobody, type Done, tellDone } from "./render/administration.ts";
import type { CallView } from "./views.ts";

export interface AdministerOptions {
  readonly wait?: string;
  /** So many people must approve, where policy would be content with fewer. */
  readonly people?: number;
}

/**
 * Administers as the person: a call of `admin.*`, which waits for another person where policy asks for one. Done, it is
 * told in words of its own.
 */
export async function administer<Output>(
  context: Context,
  verb: string,
  input: Json,
  options: AdministerOptions,
  told: (output: Output) => Done,
): Promise<ExitCode> {
  const call = await placed(context, verb, input, options);
  if (context.json) context.output.json(call);
  else tellAdministered(context, call, told);
  return exitCodeFor(call);
}

export function placed(
  context: Context,
  verb: string,
  input: Json,
  { wait, people }: AdministerOptions,
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

export function tellAdministered<Output>(
  context: Context,
  call: CallView,
  told: (output: Output) => Done,
): void {
  if (awaitsNobody(call)) tellDone(context.output, call, told(call.output as Output));
  else tellCall(context, call);
}
