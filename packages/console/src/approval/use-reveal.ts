import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { ProblemError, post } from "../api/client.ts";
import type { Round } from "../api/types.ts";

/** The hidden values of a round, and how the reader reveals them. */
export interface Reveal {
  /** The paths that the reader has revealed. */
  readonly revealed: readonly string[];
  /** Undefined if the reader can't reveal anything. */
  readonly start: (() => void) | undefined;
  readonly isPending: boolean;
  readonly error: string | undefined;
}

/**
 * Reveals the hidden values of a round after Paraph has recorded it. The values are in no cache: another screen, another
 * round and a decision hide them again.
 */
export function useReveal(round: Round): { readonly shown: Round; readonly reveal: Reveal } {
  const { approval, digest, status, masked, voter, votes } = round;
  const { data, mutate, isPending, error } = useMutation({
    mutationFn: () => post<Round>(`/v1/approvals/${approval}/reveal`, { digest }),
    gcTime: 0,
  });
  // The pressed button is gone now, so the focus goes on to the values.
  useEffect(() => {
    if (data) document.getElementById("changes")?.focus();
  }, [data]);
  const isOpen = status === "open";
  const values = isOpen && data?.digest === digest ? data : undefined;
  const canReveal = isOpen && masked.length > 0 && (voter === "approver" || voter === "confirmation");
  return {
    shown: values ? { ...values, ...{ status, votes, voter } } : round,
    reveal: {
      revealed: values ? masked : [],
      start: canReveal && !values ? () => isPending || mutate() : undefined,
      isPending,
      error: error ? explain(error) : undefined,
    },
  };
}

function explain(error: Error): string {
  return error instanceof ProblemError
    ? error.problem.detail
    : "The server did not answer, so the reveal may be recorded. Try again.";
}
