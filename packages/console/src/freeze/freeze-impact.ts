import type { PreviewResult } from "../api/types.ts";

/** The numbers in the preview of a freeze. */
interface FreezeImpact {
  readonly agents: number;
  readonly held: number;
  readonly running: number;
}

/** The server counts held calls only up to this number. */
const maxCounted = 10_000;

/** Reads the preview of `admin.freeze`. */
export function readImpact({ preview }: PreviewResult): FreezeImpact | undefined {
  const { held, agents, inFlight } = preview?.changes[0]?.details ?? {};
  if (typeof held !== "number" || typeof agents !== "number" || !Array.isArray(inFlight)) return undefined;
  return { agents, held, running: inFlight.length };
}

/** Describes what a freeze does, such as `Stops 4 agents, holds 3 open calls, 2 already running will finish`. */
export function describeImpact({ agents, held, running }: FreezeImpact, kind: string): string {
  const parts = [
    kind === "tenant" || kind === "principal" ? agents > 0 && `stops ${count(agents, "agent")}` : undefined,
    held >= maxCounted ? "holds 10,000 or more open calls" : `holds ${count(held, "open call")}`,
    running === 0 ? "nothing is running" : `${running} already running will finish`,
  ].filter((part) => typeof part === "string");
  const sentence = parts.join(", ");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en-GB")} ${noun}${number === 1 ? "" : "s"}`;
}
