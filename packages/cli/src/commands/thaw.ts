import { runAdminCall } from "../administer.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-code.ts";
import type { FreezeOptions } from "./freeze.ts";

export function thawSubject(
  context: Context,
  freeze: string,
  { reason, ...options }: FreezeOptions,
): Promise<ExitCode> {
  const input = { freeze, ...(reason !== undefined && { reason }) };
  return runAdminCall<{ resumed: number }>(context, "thaw", input, options, ({ resumed }) => ({
    sentence:
      resumed === 0 ? "Thawed." : `Thawed: ${resumed} ${resumed === 1 ? "call goes" : "calls go"} on.`,
  }));
}
