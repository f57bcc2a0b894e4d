import { randomUUID } from "node:crypto";
import type { Json } from "@paraph/core";
import type { CallView } from "../api/api-views.ts";
import { type ApiClient, createApiClient } from "../api/client.ts";
import { type CallerRole, resolveConnection } from "../api/connection.ts";
import { listPeople } from "../api/list-people.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode, toExitCode } from "../exit-code.ts";
import { printOpenCall, printOutcome } from "../render/call.ts";
import { findMissingApprovers } from "../render/missing-approvers.ts";
import { parseWait } from "../terminal/format-time.ts";
import { explainEndOfWait, followCall } from "./follow-call.ts";

export interface CallBody {
  readonly capability: string;
  readonly input: Json;
  readonly session?: { readonly session?: string; readonly thread?: string };
  readonly purpose?: string;
  readonly compressedState?: string;
  readonly requirements?: { readonly people: number };
}

/** The default time to wait. It is enough for most calls that need no approval. */
const defaultWaitMs = 10_000;

/** Requests a call and waits for its result. The function waits for an approval only with `--wait`. */
export async function placeCall(
  context: Context,
  speaker: CallerRole,
  call: CallBody,
  options: { readonly key?: string; readonly wait?: string },
): Promise<CallView> {
  const patience = options.wait === undefined ? undefined : parseWait(options.wait);
  const client = createApiClient(await resolveConnection(context, speaker), context.signal);
  const key = toIdempotencyKey(call, options.key);
  const { call: opened, isReplay } = await client
    .requestCall<CallView>("/v1/calls", { method: "POST", ...key, body: call })
    .catch((error: unknown) => {
      throw addKeyAdvice(error, key.idempotencyKey);
    });
  if (!context.json) printReuse(context, "call", opened, isReplay);
  return waitForEnd(context, client, opened, patience);
}

/** Tells the user if the request made no new call or plan. Otherwise an earlier outcome would look like a new one. */
export function printReuse(
  { output }: Context,
  what: "call" | "plan",
  { joinedDuplicate }: CallView,
  isReplay: boolean,
): void {
  if (joinedDuplicate) output.info(`The session already has this ${what} open, so no new ${what} was made.`);
  else if (isReplay)
    output.info(
      `An earlier request used the same idempotency key. This is the same ${what} as before, and Paraph does not perform it again.`,
    );
}

/**
 * Returns the idempotency key that the user passes. Without one, a call outside a session gets a random key. A call
 * within a session gets no key, so that a repeated request joins the earlier call.
 */
function toIdempotencyKey({ session }: CallBody, key: string | undefined): { idempotencyKey?: string } {
  if (key !== undefined) return { idempotencyKey: key };
  return session === undefined ? { idempotencyKey: randomUUID() } : {};
}

/** After an error that does not tell whether the server recorded the call, says how to repeat the request safely. */
function addKeyAdvice(error: unknown, key: string | undefined): unknown {
  const doubtful = ["no-answer", "database-unavailable", "internal"];
  if (!(error instanceof CliError) || key === undefined || !doubtful.includes(error.code)) return error;
  const advice = `With \`--key ${key}\`, the repeated request is the same call.`;
  return new CliError(error.code, `${error.message} ${advice}`, { exitCode: error.exitCode, cause: error });
}

async function waitForEnd(
  context: Context,
  client: ApiClient,
  opened: CallView,
  patience: number | undefined,
): Promise<CallView> {
  const throughApproval = patience !== undefined && patience > 0;
  // Shows the awaited approvals before the wait starts.
  if (throughApproval && opened.waiting?.for === "approval" && !context.json) {
    printOpenCall(opened, context.output, Date.now());
    await printMissingApprovers(context, opened);
  }
  return explainEndOfWait("The call is recorded.", opened.call, () =>
    followCall(context, client, opened, { ms: patience ?? defaultWaitMs, throughApproval }),
  );
}

export function printCall({ output }: Context, call: CallView): void {
  if (call.outcome) printOutcome(call, output);
  else printOpenCall(call, output, Date.now());
}

/** Warns if the call waits for more approvers than there are. The waiting call can continue once they are added. */
export async function printMissingApprovers(context: Context, { waiting }: CallView): Promise<void> {
  const guards = waiting?.approval?.guards ?? [];
  if (!guards.some(({ group, quorum }) => group !== undefined || quorum > 1)) return;
  const { output } = context;
  const people = await listPeople(context);
  // The key of an agent may not list people.
  if (!people) return;
  for (const { message, command } of findMissingApprovers(guards, people))
    output.info(
      `\n${output.paintInfo("yellow", "!")} It cannot be approved yet: ${message}. Run \`${command}\`.`,
    );
}

export function toCallExitCode({ outcome }: CallView): ExitCode {
  return outcome ? toExitCode(outcome.kind) : exitCode.pending;
}
