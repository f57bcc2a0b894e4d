import type { HookCall } from "./api-client.ts";

/** Formats the message for the model. It is short, because clients truncate long ones. */

export function formatPending({ call, waiting }: HookCall, url: string): string {
  const page = waiting?.approval
    ? ` A person decides at ${new URL(`/approvals/${waiting.approval.id}`, url).href}.`
    : "";
  return `Not done yet: this waits in Paraph (call ${call}).${page} Do not look for another way. Go on with something else, and ask for exactly the same again later: once it is approved, it is let through.`;
}

export function formatEnded({ call, outcome, reason, refusal, instructions }: HookCall): string {
  const said = typeof reason === "string" && reason !== "" ? ` They say: ${reason}` : "";
  switch (outcome?.kind) {
    case "refused":
      return `Not done: Paraph's policy does not allow this (${outcome.code}, call ${call}).${refusal ? ` ${refusal.sentence}` : ""} Do not try it in another way.`;
    case "denied":
      if (instructions)
        return `Not done: a person returned it (call ${call}). Do this instead: ${instructions}`;
      return `Not done: a person said no (call ${call}).${said} Do not ask for it again, nor try it in another way.`;
    case "expired":
      return `Not done: nobody approved it in time (call ${call}).`;
    default:
      return `Not done: the call ended ${outcome?.kind} (${outcome?.code}, call ${call}).`;
  }
}

export function formatEdited({ call, input }: HookCall): string {
  const shown = JSON.stringify(input) ?? "";
  return `Not done as you asked: a person changed it (call ${call}). Ask for this instead: ${shown.slice(0, 1_200)}`;
}

export function formatProtectedFolder(): string {
  return "Not done: Paraph keeps keys there, and no agent may touch them. Do not try it in another way.";
}

export function formatUndecided(why: string): string {
  return `Not done, because Paraph could not rule on it: ${why} Nothing may be done past it. Tell the person you work for.`;
}
