import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ProblemError, post } from "../api/client.ts";
import { callQuery } from "../api/queries.ts";
import type { Call } from "../api/types.ts";

interface NewRequest {
  readonly input: object;
  readonly purpose: string;
  /** Whether policy allows the call at once, so that its outcome is worth a short wait. */
  readonly isImmediate: boolean;
}

/** Requests a governed call. A repeated request after a lost answer is the same call. */
export function useRequest(capability: string) {
  const key = useRef(crypto.randomUUID());
  const client = useQueryClient();
  const request = useMutation({
    mutationFn: ({ input, purpose, isImmediate }: NewRequest) =>
      post<Call>(
        "/v1/calls",
        { capability, input, ...(purpose.trim() !== "" && { purpose: purpose.trim() }) },
        { "idempotency-key": key.current, ...(isImmediate && { prefer: "wait=5" }) },
      ),
    onSuccess: (call) => {
      client.setQueryData(callQuery(call.call).queryKey, call);
      for (const name of ["people", "freezes", "calls"]) void client.invalidateQueries({ queryKey: [name] });
    },
    onError: (error) => {
      // The server has recorded nothing, so another try is another request.
      if (error instanceof ProblemError) key.current = crypto.randomUUID();
    },
  });
  return {
    send: request.mutate,
    isSending: request.isPending,
    call: request.data,
    message: request.isError ? explain(request.error) : undefined,
  };
}

function explain(error: Error): string {
  return error instanceof ProblemError
    ? error.problem.detail
    : "The server did not answer. Send it again: it is requested once.";
}
