// Turns a goal into an intention: a way to reach it, and the plan that Paraph rules on.
import type { PlanRequest } from "@paraph/core";
import type { OutcomeStatistics } from "@paraph/sdk";
import { type Beliefs, commitGoal, type Way } from "./beliefs.ts";

/** A goal, the ways that are still open, and how earlier calls ended. */
export interface Choice {
  readonly goal: string;
  readonly ways: readonly Way[];
  readonly outcomes: readonly OutcomeStatistics[];
}

/** Chooses one of the open ways. */
export type Planner = (choice: Choice) => Promise<Way>;

/** Below this success rate, the scripted planner avoids a capability. */
const minSuccessRate = 0.6;

/** A planner without a model. It publishes, unless publishing has failed too often. */
export const chooseByOutcomes: Planner = async ({ ways, outcomes }) => {
  const publishing = outcomes.find(({ capability }) => capability === "site.publish");
  const isReliable = (publishing?.successRate ?? 1) >= minSuccessRate;
  return ways.find((way) => way !== "publish" || isReliable) ?? ways[0]!;
};

/** Returns the goals that the beliefs leave open: first every draft, then the commit of what was handled. */
export function listDesires({ drafts, uncommitted }: Beliefs): readonly string[] {
  const waiting = Object.keys(drafts).filter((path) => drafts[path]?.status === "waiting");
  if (waiting.length > 0) return waiting.toSorted();
  return uncommitted > 0 ? [commitGoal] : [];
}

/** Returns the ways that are open for a goal. The folder that a person named comes first. */
export function listWays({ drafts }: Beliefs, goal: string): readonly Way[] {
  if (goal === commitGoal) return ["commit"];
  const { folder, ruledOut = [] } = drafts[goal] ?? {};
  const ways: readonly Way[] = [
    ...(folder === undefined ? [] : ["instructed" as const]),
    "publish",
    "review",
  ];
  return ways.filter((way) => !ruledOut.includes(way));
}

/** Builds the plan of a way. */
export function buildPlan({ drafts }: Beliefs, goal: string, way: Way): PlanRequest {
  const move = (folder: string) => ({
    ...{ id: "file", capability: "desk.move" },
    input: { from: goal, to: `${folder}/${goal.slice("inbox/".length)}` },
  });
  const publish = { id: "publish", capability: "site.publish", input: { draft: goal } };
  const commit = {
    ...{ id: "commit", capability: "repo.commit" },
    input: { message: "Handle the inbox", paths: ["."] },
  };
  const steps = {
    publish,
    review: move("review"),
    instructed: move(drafts[goal]?.folder ?? "review"),
    commit,
  };
  return { version: 1, title: `${way} ${goal}`, steps: [steps[way]] };
}
