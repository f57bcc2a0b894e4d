import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import { messagesQuery } from "../api/queries.ts";
import type { Message, Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { Sheet } from "../ui/sheet.tsx";

export type WordsKind = "return" | "comment" | "question";

const texts: Record<WordsKind, readonly [title: string, hint: string, button: string]> = {
  return: [
    "Return with instructions",
    "Denies this request, and tells the requester what to request instead.",
    "Return with instructions",
  ],
  comment: ["Add a comment", "Everyone who sees the request can read it.", "Add comment"],
  question: ["Ask the requester", "The requester can answer while the request is open.", "Ask"],
};

/** Asks for the words of a return, a comment or a question. */
export function WordsSheet({
  kind,
  round,
  onClose,
  onReturn,
}: {
  readonly kind: WordsKind;
  readonly round: Round;
  readonly onClose: () => void;
  readonly onReturn: (reason: string) => void;
}) {
  const [title, hint, button] = texts[kind];
  const [text, setText] = useState("");
  // A repeated message with the same key is posted once.
  const key = useRef(crypto.randomUUID());
  const client = useQueryClient();
  const message = useMutation({
    mutationFn: () =>
      post<Message>(`/v1/calls/${round.call}/messages`, { kind, text }, { "idempotency-key": key.current }),
    onSuccess: async () => {
      await client.invalidateQueries(messagesQuery(round.call));
      onClose();
    },
  });
  const isEmpty = text.trim() === "";
  const send = () => {
    if (isEmpty || message.isPending) return;
    if (kind === "return") onReturn(text.trim());
    else message.mutate();
  };
  return (
    <Sheet isOpen onClose={onClose} title={title}>
      <p className="mt-1 text-muted">
        <Foreign text={round.headline} />
      </p>
      <form
        className="mt-4 grid gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label className="grid gap-1">
          <span className="text-sm text-muted">{hint}</span>
          <textarea
            value={text}
            onChange={({ target }) => setText(target.value)}
            rows={4}
            maxLength={2_000}
            className="rounded-control border border-edge bg-surface p-2"
          />
        </label>
        {message.isError && (
          <p role="alert" className="text-critical">
            {message.error instanceof ProblemError
              ? message.error.problem.detail
              : "The server did not answer. Send it again: it is posted once."}
          </p>
        )}
        <button type="submit" className="btn btn-primary" aria-disabled={isEmpty || message.isPending}>
          {button}
        </button>
        <button type="button" className="btn" onClick={onClose}>
          Go back
        </button>
      </form>
    </Sheet>
  );
}
