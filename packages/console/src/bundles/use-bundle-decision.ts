import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { NoAnswerError, ProblemError, post } from "../api/client.ts";
import type { BulkResult } from "../api/types.ts";

export type Choice = "approve" | "deny";

/** A chosen decision, with the digest that was on the screen when it was chosen. */
interface ChosenDecision {
  readonly decision: Choice;
  readonly digest: string;
}

/** The decisions that a person chooses for the requests of a bundle, and what became of them. */
export interface BundleDecision {
  readonly chosen: ReadonlyMap<string, ChosenDecision>;
  readonly results: ReadonlyMap<string, BulkResult>;
  readonly state: "none" | "sending" | "unknown";
  /** Why the server took none of the decisions. */
  readonly problem: string | undefined;
  readonly choose: (approval: string, decision: ChosenDecision | undefined) => void;
  /** Sends the chosen decisions about these approvals. The reason belongs to the denials. */
  readonly send: (approvals: readonly string[], reason: string) => void;
  /** Loads what became of decisions without an answer. */
  readonly lookUp: () => void;
}

/** Sends the chosen decisions at once, each with its digest. Unanswered decisions are looked up, and never repeated. */
export function useBundleDecision(): BundleDecision {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<BundleDecision["chosen"]>(new Map());
  const [results, setResults] = useState<BundleDecision["results"]>(new Map());
  const reload = () =>
    Promise.all(
      ["approval", "inbox", "decided"].map((name) => client.invalidateQueries({ queryKey: [name] })),
    );
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: ({ approvals, reason }: { approvals: readonly string[]; reason: string }) => {
      const decisions = [...chosen]
        .filter(([approval]) => approvals.includes(approval))
        .map(([approval, one]) => ({
          approval,
          ...one,
          // The reason for the denials says nothing about the approvals.
          ...(one.decision === "deny" && reason !== "" && { reason }),
        }));
      return post<{ results: BulkResult[] }>("/v1/approvals/decisions", { decisions });
    },
    onSuccess: async ({ results: found }) => {
      setResults((old) => new Map([...old, ...found.map((one) => [one.approval, one] as const)]));
      setChosen(new Map());
      await reload();
    },
  });
  return {
    chosen,
    results,
    state: isPending ? "sending" : error instanceof NoAnswerError ? "unknown" : "none",
    problem: error instanceof ProblemError ? error.problem.detail : undefined,
    choose: (approval, decision) =>
      setChosen((old) => {
        const next = new Map(old);
        if (decision) next.set(approval, decision);
        else next.delete(approval);
        return next;
      }),
    send: (approvals, reason) => mutate({ approvals, reason }),
    lookUp: () =>
      void reload().then(() => {
        setChosen(new Map());
        reset();
      }),
  };
}
