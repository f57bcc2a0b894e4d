import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, NoAnswerError, ProblemError, post } from "../api/client.ts";
import { approvalQuery, meQuery } from "../api/queries.ts";
import type { Approval, Call, Me, Problem, Round } from "../api/types.ts";

interface Answer {
  readonly decision: "approve" | "deny" | "return";
  readonly reason?: string;
  /** The steps of a plan that an approval leaves out. */
  readonly declined?: readonly string[];
}

type DecisionState =
  | { readonly state: "none" | "sending" | "unknown" | "not-arrived" }
  | { readonly state: "rejected"; readonly problem: Problem };

/** Sends a decision with the digest that is on the screen. An unanswered decision is looked up, and never repeated. */
export function useDecision({ approval, digest, call }: Round) {
  const client = useQueryClient();
  const [result, setResult] = useState<DecisionState>({ state: "none" });
  const refresh = () => {
    for (const queryKey of [["approval", approval], ["inbox"], ["decided"], ["call", call]])
      void client.invalidateQueries({ queryKey });
  };
  const { mutate } = useMutation({
    mutationFn: (answer: Answer) => post<Call>(`/v1/approvals/${approval}/decision`, { ...answer, digest }),
    onMutate: () => setResult({ state: "sending" }),
    onSuccess: async () => {
      refresh();
      await client.refetchQueries({ queryKey: ["approval", approval] });
      setResult({ state: "none" });
    },
    onError: (error) => {
      if (error instanceof ProblemError) setResult({ state: "rejected", problem: error.problem });
      else if (error instanceof NoAnswerError) setResult({ state: "unknown" });
      else throw error;
      refresh();
    },
  });
  const lookUp = async () => {
    try {
      const [now, me] = await Promise.all([get<Approval>(`/v1/approvals/${approval}`), get<Me>("/v1/me")]);
      client.setQueryData(approvalQuery(approval).queryKey, now);
      client.setQueryData(meQuery.queryKey, me);
      const arrived = now.kind === "past-round" || now.votes.some(({ by }) => by === me.id);
      setResult({ state: arrived ? "none" : "not-arrived" });
    } catch {
      setResult({ state: "unknown" });
    }
  };
  return {
    ...result,
    send: (answer: Answer) => mutate(answer),
    lookUp: () => void lookUp(),
  };
}
