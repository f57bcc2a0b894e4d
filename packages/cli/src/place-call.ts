import { randomUUID } from "node:crypto";
import type { Json } from "@paraph/core";
import { CliError } from "./cli-error.ts";
import { type Client, clientFor } from "./client.ts";
import { connection, type Speaker } from "./connection.ts";
import type { Context } from "./context.ts";
import { type ExitCode, exitCode, exitCodeOf } from "./exit-code.ts";
import { follow } from "./follow.ts";
import { tellEnd, tellOpen } from "./render/call.ts";
import { waitMs } from "./times.ts";
import type { CallView } from "./views.ts";

export interface NewCall {
  readonly capability: string;
  readonly input: Json;
  readonly session?: { readonly session: string };
  readonly purpose?: string;
  readonly requirements?: { readonly people: number };
}

/** Enough for most calls that need nobody. */
const defaultWaitMs = 10_000;

/** Makes a call and waits for its result, but for a person only with `--wait`. */
export async function placeCall(
  context: Context,
  speaker: Speaker,
  call: NewCall,
  options: { readonly key?: string; readonly wait?: string },
): Promise<CallView> {
  const patience = options.wait === undefined ? undefined : waitMs(options.wait);
  const client = clientFor(await connection(context, speaker), context.signal);
  const opened = await client.ask<CallView>("/v1/calls", {
    method: "POST",
    ...keyFor(call, options.key),
    body: call,
  });
  if (opened.joined && !context.json)
    context.output.say("The same is being asked in this session already: this is that call.");
  return awaitEnd(context, client, opened, patience);
}

/** Within a session what is asked twice is one question, unless the caller names its calls. */
function keyFor({ session }: NewCall, key: string | undefined): { idempotencyKey?: string } {
  if (key !== undefined) return { idempotencyKey: key };
  return session === undefined ? { idempotencyKey: randomUUID() } : {};
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

export function tellCall({ output }: Context, call: CallView): void {
  if (call.outcome) tellEnd(call, output);
  else tellOpen(call, output, Date.now());
}

export function exitCodeFor({ outcome }: CallView): ExitCode {
  return outcome ? exitCodeOf(outcome.kind) : exitCode.pending;
}
