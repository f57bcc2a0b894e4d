import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import type { ExitCode } from "../../lib/exit-code.ts";
import { type AdminCallOptions, runAdminCall } from "./admin-call.ts";
import { type GrantOutput, toGrantResult } from "./grants.ts";
import { parseBounds } from "./parse-bounds.ts";

export interface BreakGlassOptions extends AdminCallOptions {
  readonly for?: string;
  readonly bound?: readonly string[];
  readonly minutes: number;
  readonly reason: string;
}

/**
 * Requests an emergency grant. One call then passes without approval. The person who requested the grant must justify
 * its use afterwards.
 */
export function requestBreakGlass(
  context: Context,
  what: string,
  options: BreakGlassOptions,
): Promise<ExitCode> {
  const { minutes, reason, bound = [] } = options;
  const isCall = /^call_/.test(what);
  if (isCall && (options.for !== undefined || bound.length > 0))
    throw usageError("The call already has a principal and an input. Leave out `--for` and `--bound`.");
  const input = isCall
    ? { call: what, minutes, reason }
    : {
        capability: what,
        minutes,
        reason,
        bounds: parseBounds(bound),
        ...(options.for !== undefined && { principal: options.for }),
      };
  return runAdminCall(context, "break_glass", input, options, (output: GrantOutput) => ({
    ...toGrantResult(output),
    sentence: "Break-glass is active for one matching call. Make the call now.",
  }));
}
