import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { NoAnswerError, ProblemError, post } from "../api/client.ts";
import { enrolmentQuery } from "../api/passkey-queries.ts";
import { callQuery } from "../api/queries.ts";
import type { Call, NewPasskey } from "../api/types.ts";
import { createPasskey, NotCreatedError } from "./create-passkey.ts";

/** Creates a passkey and requests its enrolment. A repeated request after a lost answer is the same call. */
export function useEnrolment() {
  const client = useQueryClient();
  const unsent = useRef<{ readonly key: string; readonly body: NewPasskey }>(undefined);
  const ceremony = useRef<AbortController>(undefined);
  useEffect(() => () => ceremony.current?.abort(), []);
  const create = async (label: string) => {
    // The challenge belongs to the session, which may be newer than the page.
    const { enrolment } = await client.fetchQuery({ ...enrolmentQuery, staleTime: 0 });
    if (!enrolment) throw new NotCreatedError("Paraph is reached at an IP address.");
    ceremony.current = new AbortController();
    const registration = await createPasskey(enrolment, ceremony.current.signal);
    return { key: crypto.randomUUID(), body: { label, registration } };
  };
  const enrolment = useMutation({
    mutationFn: async (label: string) => {
      unsent.current ??= await create(label);
      const { key, body } = unsent.current;
      return post<Call>("/v1/passkeys", body, { "idempotency-key": key });
    },
    onSuccess: (call) => {
      client.setQueryData(callQuery(call.call).queryKey, call);
      for (const name of ["people", "calls"]) void client.invalidateQueries({ queryKey: [name] });
    },
    onError: (error) => {
      // The server has recorded nothing, so the next try creates another passkey.
      if (error instanceof ProblemError) unsent.current = undefined;
    },
  });
  return {
    enrol: enrolment.mutate,
    isBusy: enrolment.isPending,
    call: enrolment.data,
    message: enrolment.isError ? explain(enrolment.error, unsent.current !== undefined) : undefined,
  };
}

function explain(error: Error, wasCreated: boolean): string {
  if (error instanceof ProblemError) return error.problem.detail;
  if (error instanceof NotCreatedError) return `Nothing was sent. ${error.message}`;
  if (!(error instanceof NoAnswerError)) throw error;
  return wasCreated
    ? "The server did not answer. Send it again: it is requested once."
    : "Nothing was sent. The server did not answer.";
}
