import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, NoAnswerError, ProblemError, post } from "../api/client.ts";
import { approvalQuery, meQuery } from "../api/queries.ts";
import type { Approval, Call, Decision, Me, Problem, Round } from "../api/types.ts";
import { NotSignedError, signApproval } from "./passkey.ts";

type Vote = Omit<Decision, "digest" | "passkey">;

type DecisionState =
  | { readonly state: "none" | "signing" | "sending" | "unknown" | "not-arrived" }
  | { readonly state: "not-signed"; readonly message: string }
  | { readonly state: "rejected"; readonly problem: Problem };

/**
 * Sends a decision with the digest that is on the screen, signed by a passkey if policy demands it. An unanswered decision
 * is looked up, and never repeated.
 */
export function useDecision({ approval, digest, call, needsPasskey }: Round) {
  const client = useQueryClient();
  const [result, setResult] = useState<DecisionState>({ state: "none" });
  const refresh = () => {
    for (const queryKey of [["approval", approval], ["inbox"], ["decided"], ["call", call]])
      void client.invalidateQueries({ queryKey });
  };
  const sign = ({ declined, answer }: Vote) => {
    setResult({ state: "signing" });
    return signApproval(approval, {
      digest,
      ...(declined && { declined }),
      ...(answer !== undefined && { answer }),
    });
  };
  const { mutate } = useMutation({
    mutationFn: async (vote: Vote) => {
      const passkey = needsPasskey && vote.decision === "approve" ? await sign(vote) : undefined;
      setResult({ state: "sending" });
      const body: Decision = { ...vote, digest, ...(passkey && { passkey }) };
      return post<Call>(`/v1/approvals/${approval}/decision`, body);
    },
    onSuccess: async () => {
      refresh();
      await client.refetchQueries({ queryKey: ["approval", approval] });
      setResult({ state: "none" });
    },
    onError: (error) => {
      if (error instanceof ProblemError) setResult({ state: "rejected", problem: error.problem });
      else if (error instanceof NoAnswerError) setResult({ state: "unknown" });
      else if (error instanceof NotSignedError) setResult({ state: "not-signed", message: error.message });
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
    send: (vote: Vote) => mutate(vote),
    lookUp: () => void lookUp(),
  };
}
