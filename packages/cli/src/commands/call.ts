import { randomUUID } from "node:crypto";
import { callInput } from "../call-input.ts";
import { CliError } from "../cli-error.ts";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode, exitCodeOf } from "../exit-code.ts";
import { follow } from "../follow.ts";
import { tellEnd, tellOpen } from "../render/call.ts";
import { waitMs } from "../times.ts";
import type { CallView } from "../views.ts";

export interface CallOptions {
  readonly input?: string;
  readonly key?: string;
  readonly wait?: string;
  readonly purpose?: string;
  readonly session?: string;
}

/** Enough for most calls that need nobody. */
const defaultWaitMs = 10_000;

/** Calls as the agent. Waits for a result, but for a person only with `--wait`. */
export async function call(
  context: Context,
  capability: string,
  args: readonly string[],
  options: CallOptions,
): Promise<ExitCode> {
  const patience = options.wait === undefined ? undefined : waitMs(options.wait);
  const input = await callInput(args, options.input);
  const client = clientFor(await connection(context, "agent"), context.signal);
  const opened = await client.ask<CallView>("/v1/calls", {
    method: "POST",
    idempotencyKey: options.key ?? randomUUID(),
    body: {
      capability,
      input,
      ...(options.session !== undefined && { session: { session: options.session } }),
      ...(options.purpose !== undefined && { purpose: options.purpose }),
    },
  });
  return tell(context, await awaitEnd(context, client, opened, patience));
}

async function awaitEnd(
  context: Context,
  client: Client,
  opened: CallView,
  patience: number | undefined,
): Promise<CallView> {
  const throughApproval = patience !== undefined && patience > 0;
  // Who waits should know for whom before the wait, not after.
  if (throughApproval && opened.waiting?.for === "approval" && !context.json)
    tellOpen(opened, context.output, Date.now());
  try {
    return await follow(context, client, opened, { ms: patience ?? defaultWaitMs, throughApproval });
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCode.interrupted) throw error;
    throw new CliError(
      "interrupted",
      `The call goes on without you: \`paraph show ${opened.call}\` tells how.`,
      {
        exitCode: exitCode.interrupted,
      },
    );
  }
}

function tell({ output, json }: Context, call: CallView): ExitCode {
  if (json) output.json(call);
  else if (call.outcome) tellEnd(call, output);
  else tellOpen(call, output, Date.now());
  return call.outcome ? exitCodeOf(call.outcome.kind) : exitCode.pending;
}
