import type { HookCall } from "./api-client.ts";

/** Formats a message for the model. The message must be short, because clients truncate long messages. */

export function formatPending({ call, waiting }: HookCall, url: string): string {
  const page = waiting?.approval
    ? ` A person decides at ${new URL(`/approvals/${waiting.approval.id}`, url).href}.`
    : "";
  return `Not done yet: this is pending in Paraph (call ${call}).${page} Do not try another way. Continue with other work, and repeat exactly the same tool use later. Paraph allows it after approval.`;
}

export function formatEnded({ call, outcome, reason, refusal, instructions }: HookCall): string {
  const said = typeof reason === "string" && reason !== "" ? ` Reason: ${reason}` : "";
  switch (outcome?.kind) {
    case "refused":
      return `Not done: Paraph's policy does not allow this (${outcome.code}, call ${call}).${refusal ? ` ${refusal.sentence}` : ""} Do not try another way.`;
    case "denied":
      if (instructions)
        return `Not done: a person returned it (call ${call}). Do this instead: ${instructions}`;
      return `Not done: a person denied it (call ${call}).${said} Do not request it again or try another way.`;
    case "expired":
      return `Not done: the approval expired (call ${call}).`;
    default:
      return `Not done: the call ended as ${outcome?.kind} (${outcome?.code}, call ${call}).`;
  }
}

export function formatEdited({ call, input }: HookCall): string {
  const shown = JSON.stringify(input) ?? "";
  return `Not done: a person edited it (call ${call}). Request this instead: ${shown.slice(0, 1_200)}`;
}

export function formatProtectedFolder(): string {
  return "Not done: Paraph keeps its keys in that folder, and agents must not access them. Do not try another way.";
}

/** The name of `codingAgent()` in the configuration that a hook without `--adapter` expects. */
export const defaultAdapter = "agent";

/** Says why the hook denies every tool use. `readMissingAdapter` reads it. */
export function formatMissingAdapter(adapter: string): string {
  return `Paraph's configuration has no \`${adapter}: codingAgent()\`.`;
}

/** Returns the adapter that a denial names as missing, or undefined if the denial has another reason. */
export function readMissingAdapter(message: string): string | undefined {
  return /Paraph's configuration has no `([^`]*): codingAgent\(\)`/.exec(message)?.[1];
}

export function formatCodingAgentAdvice(adapter: string): string {
  return `add \`adapters: { ${adapter}: codingAgent() }\` to \`paraph.config.ts\` (\`paraph init\` creates that file), then press Enter in the terminal of \`paraph dev\`, or restart the server`;
}

export function formatUndecided(why: string): string {
  return `Not done, because Paraph could not rule on it: ${why} Do not bypass Paraph. Tell the person you work for.`;
}
