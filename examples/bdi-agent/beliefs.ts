// The beliefs of the agent about its world. Only observations and outcomes change them.
import type { SessionSnapshot } from "@paraph/core";

/** The ways to handle a draft. `instructed` goes to the folder that a person named. */
export type Way = "publish" | "review" | "instructed" | "commit";

/** The beliefs about one draft. */
export interface Draft {
  readonly status: "waiting" | "done";
  /** The ways that a person denied or that failed. */
  readonly ruledOut: readonly Way[];
  /** The folder that a person named when returning a plan. */
  readonly folder?: string;
  /** The final way in which the draft was handled. */
  readonly way?: Way;
}

/** An observation as the API lists it. */
export interface Observed {
  readonly seq: number;
  readonly adapter: string;
  readonly kind: string;
  readonly subject: string;
}

/** The plan that the agent requested, until its outcome is known. */
export interface Pursuit {
  readonly goal: string;
  readonly way: Way;
  readonly call?: string;
}

/** The end of a plan, as far as it matters for beliefs. */
export interface Ending {
  readonly kind: string;
  readonly code: string;
  /** The instructions of a person who returned the plan. */
  readonly instructions?: string;
}

/** The goal of having all handled drafts under git. */
export const commitGoal = "commit";

export interface Beliefs {
  /** The number of the last observation. */
  readonly seen: number;
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly uncommitted: number;
  readonly commits: number;
  /** The plan that waits for its outcome. After a restart, it is the first thing to look at. */
  readonly pursuit?: Pursuit;
}

export const noBeliefs: Beliefs = { seen: 0, drafts: {}, uncommitted: 0, commits: 0 };

/** Believes what the adapters observed: new drafts in the inbox, and commits. */
export function believeObservations(beliefs: Beliefs, observations: readonly Observed[]): Beliefs {
  const drafts = { ...beliefs.drafts };
  let { seen, commits } = beliefs;
  for (const { seq, kind, subject } of observations) {
    seen = seq;
    if (kind === "ref.moved" && subject === "refs/heads/main") commits += 1;
    if (kind === "file.created" && /^inbox\/[^/]+\.md$/.test(subject))
      drafts[subject] = { status: "waiting", ruledOut: [] };
  }
  return { ...beliefs, seen, commits, drafts };
}

/** Believes the outcome of the pursued plan: a success ends the goal, everything else rules its way out. */
export function believeEnding(
  { pursuit, ...beliefs }: Beliefs,
  { goal, way }: Pursuit,
  ending: Ending,
): Beliefs {
  if (goal === commitGoal)
    return ending.kind === "succeeded" ? { ...beliefs, uncommitted: 0 } : { ...beliefs };
  const draft = beliefs.drafts[goal] ?? { status: "waiting", ruledOut: [] };
  const drafts = (changed: Partial<Draft>) => ({
    ...beliefs,
    drafts: { ...beliefs.drafts, [goal]: { ...draft, ...changed } },
  });
  if (ending.kind === "succeeded")
    return { ...drafts({ status: "done", way }), uncommitted: beliefs.uncommitted + 1 };
  const folder = /folder ([a-z]+)/.exec(ending.instructions ?? "")?.[1];
  return drafts({ ruledOut: [...draft.ruledOut, way], ...(folder !== undefined && { folder }) });
}

/** Returns the beliefs as the state that the agent gives with a plan. */
export function toCompressedState(beliefs: Beliefs): string {
  return JSON.stringify(beliefs);
}

/**
 * Resumes from a snapshot: from the state that the agent itself gave with its last plan. That plan is then the one that
 * the agent pursues, whatever has become of it meanwhile.
 */
export function resumeBeliefs({ compressedState }: Pick<SessionSnapshot, "compressedState"> = {}): Beliefs {
  if (compressedState === undefined || compressedState.cut !== undefined) return noBeliefs;
  const { pursuit, ...beliefs } = JSON.parse(compressedState.text) as Beliefs;
  return { ...beliefs, ...(pursuit && { pursuit: { ...pursuit, call: compressedState.call } }) };
}
