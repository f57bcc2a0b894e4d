import { useMutation } from "@tanstack/react-query";
import { CircleHelp, ListChecks, TriangleAlert } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import type { Intent } from "../api/types.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";
import { Notice } from "../ui/states.tsx";
import { CallForm } from "./call-form.tsx";
import { PlanDraft } from "./plan-draft.tsx";
import { Questions } from "./questions.tsx";

/** An answer to a question about a field. */
export interface Answer {
  readonly step: number;
  readonly field: string;
  readonly value: string;
}

interface Understood {
  readonly words: string;
  readonly answers: readonly Answer[];
  readonly intent: Intent;
}

// The words outlive the dialog, so that a look at the screen behind it does not lose them.
let keptWords = "";

/** Turns a request in words into a plan that a person can change, preview and request. Understanding performs nothing. */
export function Ask({
  takeTyped,
  onRequested,
}: {
  /** Returns what the person has typed before the field was there. */
  readonly takeTyped: () => string;
  readonly onRequested: () => void;
}) {
  const [words, setWords] = useState(() => keptWords + takeTyped());
  const ask = useMutation({
    mutationFn: async (answers: readonly Answer[]): Promise<Understood> => {
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const body = { words, timeZone, ...(answers.length > 0 && { answers }) };
      return { words, answers, intent: await post<Intent>("/v1/intents", body) };
    },
  });
  const change = (text: string) => {
    keptWords = text;
    setWords(text);
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (words.trim() !== "" && !ask.isPending) ask.mutate([]);
  };
  const found = ask.data;
  const hasPlan = found?.intent.kind === "plan" && found.words === words;
  return (
    <div
      className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${found?.intent.kind === "plan" ? "lg:grid-cols-[20rem_minmax(0,1fr)]" : ""}`}
    >
      <form onSubmit={submit} className="grid content-start gap-2 lg:sticky lg:top-0 lg:self-start">
        <label className="grid gap-1">
          <span className="text-sm font-medium">What should happen?</span>
          <textarea
            // biome-ignore lint/a11y/noAutofocus: the dialog opens to write here
            autoFocus
            value={words}
            onChange={({ target }) => change(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              submit();
            }}
            maxLength={10_000}
            rows={3}
            placeholder="Refund €12.50 for payment pay_8Zk2"
            className="field-sizing-content max-h-60 min-h-20 w-full resize-none rounded-control border border-edge bg-surface p-2 text-lg"
          />
        </label>
        <p className="text-sm text-muted">
          Begin with an action, such as “write” or “refund”. Put texts in quotation marks. This makes a draft
          and requests nothing.
        </p>
        <button
          type="submit"
          className={`btn justify-self-start max-md:w-full ${hasPlan ? "" : "btn-primary"}`}
          aria-disabled={words.trim() === "" || ask.isPending}
        >
          {ask.isPending ? "Understanding…" : "Make a draft"}
        </button>
        {found?.intent.kind === "plan" && (
          <p className="text-sm text-muted">
            Understood by{" "}
            {found.intent.understoodBy.kind === "grammar" ? (
              "the grammar, without a model."
            ) : (
              <>
                the model <Foreign text={found.intent.understoodBy.model} />.
              </>
            )}
          </p>
        )}
      </form>
      <div aria-live="polite" className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 empty:hidden">
        {ask.isError && (
          <p role="alert" className="text-critical">
            {ask.error instanceof ProblemError
              ? ask.error.problem.detail
              : "The server did not answer. Nothing was requested."}
          </p>
        )}
        {found && found.words !== words && (
          <Notice tone="unknown" icon={TriangleAlert}>
            You changed the words. Make a new draft.
          </Notice>
        )}
        {found && found.words === words && !ask.isError && (
          <Result
            found={found}
            onAnswer={(answers) => ask.mutate([...found.answers, ...answers])}
            isBusy={ask.isPending}
            onRequested={() => {
              keptWords = "";
              onRequested();
            }}
          />
        )}
      </div>
    </div>
  );
}

function Result({
  found: { intent, words, answers },
  isBusy,
  onAnswer,
  onRequested,
}: {
  readonly found: Understood;
  readonly isBusy: boolean;
  readonly onAnswer: (answers: readonly Answer[]) => void;
  readonly onRequested: () => void;
}) {
  if (intent.kind === "no")
    return (
      <Notice tone="plain" icon={CircleHelp}>
        <strong>There is no draft.</strong> <Sentence text={intent.message} />
      </Notice>
    );
  if (intent.kind === "question")
    return <Asked key={answers.length} {...{ intent, isBusy, onAnswer, onRequested }} />;
  return <PlanDraft key={`${words} ${intent.fingerprint}`} intent={intent} onRequested={onRequested} />;
}

/** The questions, or the form of the capability with the values that the words gave. */
function Asked({
  intent: { questions, draft },
  isBusy,
  onAnswer,
  onRequested,
}: {
  readonly intent: Extract<Intent, { kind: "question" }>;
  readonly isBusy: boolean;
  readonly onAnswer: (answers: readonly Answer[]) => void;
  readonly onRequested: () => void;
}) {
  const [isForm, setForm] = useState(false);
  if (draft && isForm)
    return (
      <section aria-label={`Form of ${draft.capability}`} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <p className="text-sm text-muted">
          Form of <code>{draft.capability}</code>, filled in from your words.{" "}
          <button type="button" className="link" onClick={() => setForm(false)}>
            Back to the questions
          </button>
        </p>
        <CallForm capability={draft.capability} given={draft.input} isFocused onRequested={onRequested} />
      </section>
    );
  return (
    <>
      <Questions questions={questions} isBusy={isBusy} onAnswer={onAnswer} />
      {draft && (
        <button type="button" className="btn justify-self-start max-md:w-full" onClick={() => setForm(true)}>
          <ListChecks size={16} aria-hidden="true" />
          Fill in the form instead
        </button>
      )}
    </>
  );
}
