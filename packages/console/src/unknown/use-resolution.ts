import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import type { Call, CallSummary } from "../api/types.ts";

export type Finding = "happened" | "not-happened";

/** A finding that the server has recorded, and the new call of a retry. */
export interface Resolved {
  readonly call: string;
  readonly headline: string;
  readonly finding: Finding;
  readonly retriedAs?: string;
}

type Answer =
  | { readonly kind: "probe" }
  | { readonly kind: "resolve" | "retry"; readonly finding: Finding; readonly reason: string };

interface Result {
  readonly finding?: Finding;
  readonly retriedAs?: string;
  readonly message?: string;
}

/** Probes and resolves a call whose outcome is unknown. The server accepts one finding per call. */
export function useResolution(
  { call, headline }: Pick<CallSummary, "call" | "headline">,
  onResolved: (resolved: Resolved) => void,
) {
  const client = useQueryClient();
  const [message, setMessage] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: (answer: Answer) => send(call, answer),
    onMutate: () => setMessage(undefined),
    onSuccess: ({ finding, retriedAs, message }) => {
      setMessage(message);
      if (finding) onResolved({ call, headline, finding, ...(retriedAs !== undefined && { retriedAs }) });
    },
    onError: (error) =>
      setMessage(
        error instanceof ProblemError
          ? error.problem.detail
          : "Not known whether your answer arrived. If it did, this call disappears from the list.",
      ),
    onSettled: () => {
      for (const queryKey of [["overview"], ["calls"], ["call", call]])
        void client.invalidateQueries({ queryKey });
    },
  });
  return {
    message,
    isSending: isPending,
    probe: () => mutate({ kind: "probe" }),
    resolve: (finding: Finding, reason: string) => mutate({ kind: "resolve", finding, reason }),
    retry: (reason: string) => mutate({ kind: "retry", finding: "not-happened", reason }),
  };
}

async function send(call: string, answer: Answer): Promise<Result> {
  const path = `/v1/calls/${call}`;
  if (answer.kind === "probe") {
    const { found } = await post<{ found: Finding | "unsure" }>(`${path}/probe`, {});
    return found === "unsure"
      ? { message: "The system cannot tell whether it happened. Check it yourself." }
      : { finding: found };
  }
  const { kind, finding, reason } = answer;
  await post<Call>(`${path}/resolution`, { finding, reason });
  if (kind === "resolve") return { finding };
  const next = await post<Call>(`${path}/retry`, {});
  return { finding, retriedAs: next.call };
}
