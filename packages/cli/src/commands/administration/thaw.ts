import type { Context } from "../../lib/context.ts";
import type { ExitCode } from "../../lib/exit-code.ts";
import { runAdminCall } from "./admin-call.ts";
import type { FreezeOptions } from "./freeze.ts";

export function thawSubject(
  context: Context,
  freeze: string,
  { reason, ...options }: FreezeOptions,
): Promise<ExitCode> {
  const input = { freeze, ...(reason !== undefined && { reason }) };
  return runAdminCall<{ resumed: number }>(context, "thaw", input, options, ({ resumed }) => ({
    sentence:
      resumed === 0 ? "Thawed." : `Thawed. ${resumed} ${resumed === 1 ? "call resumes" : "calls resume"}.`,
  }));
}
