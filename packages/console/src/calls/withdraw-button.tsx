import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import { meQuery } from "../api/queries.ts";
import type { Call } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { Sheet } from "../ui/sheet.tsx";

/** The states in which a call may run or may have taken effect already, so that it can't be withdrawn. */
const actingStates: readonly Call["state"][] = ["performing", "delayed", "closed"];

/** Withdraws a call that waits. Only for its requester, the requester's owner, and the person it was requested for. */
export function WithdrawButton({ call }: { readonly call: Call }) {
  const { data: me } = useQuery(meQuery);
  const [isOpen, setOpen] = useState(false);
  const { id, owner, onBehalfOf } = call.principal;
  const isOwn = me !== undefined && [id, owner, onBehalfOf].includes(me.id);
  if (!isOwn || actingStates.includes(call.state)) return null;
  return (
    <>
      <button type="button" className="btn" onClick={() => setOpen(true)}>
        Withdraw…
      </button>
      {isOpen && <WithdrawSheet call={call} onClose={() => setOpen(false)} />}
    </>
  );
}

function WithdrawSheet({
  call: { call, headline, state },
  onClose,
}: {
  readonly call: Call;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState("");
  const client = useQueryClient();
  const withdrawal = useMutation({
    mutationFn: () => {
      const reason = text.trim();
      return post<Call>(`/v1/calls/${call}/withdrawal`, reason === "" ? {} : { reason });
    },
    onSuccess: onClose,
    onSettled: () => {
      for (const queryKey of [["inbox"], ["overview"], ["calls"], ["call", call]])
        void client.invalidateQueries({ queryKey });
    },
  });
  return (
    <Sheet isOpen onClose={onClose} title="Withdraw this call?">
      <p className="mt-1 text-muted">
        <Foreign text={headline} />
      </p>
      <form
        className="mt-4 grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!withdrawal.isPending) withdrawal.mutate();
        }}
      >
        <p>
          {state === "composing"
            ? "Paraph starts no further steps. It does not undo the steps that have ended."
            : "Paraph ends its approval and does not perform it."}
        </p>
        <label className="grid gap-1">
          <span className="text-sm text-muted">Why? The record keeps this. (optional)</span>
          <textarea
            value={text}
            onChange={({ target }) => setText(target.value)}
            rows={2}
            maxLength={2_000}
            className="rounded-control border border-edge bg-surface p-2"
          />
        </label>
        {withdrawal.isError && (
          <p role="alert" className="text-critical">
            {withdrawal.error instanceof ProblemError
              ? withdrawal.error.problem.detail
              : "Not known whether the withdrawal arrived. Open the call again to see its state."}
          </p>
        )}
        <button type="submit" className="btn btn-primary" aria-disabled={withdrawal.isPending}>
          Withdraw call
        </button>
        <button type="button" className="btn" onClick={onClose}>
          Go back
        </button>
      </form>
    </Sheet>
  );
}
