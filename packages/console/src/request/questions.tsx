import { CircleHelp } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import type { Intent } from "../api/types.ts";
import { Sentence } from "../lib/foreign.tsx";
import type { Answer } from "./ask.tsx";
import { formatExample } from "./input-fields.tsx";

type Question = Extract<Intent, { kind: "question" }>["questions"][number];

/** The questions that remain before there is a draft. A person answers them here, or changes the words. */
export function Questions({
  questions,
  isBusy,
  onAnswer,
}: {
  readonly questions: readonly Question[];
  readonly isBusy: boolean;
  readonly onAnswer: (answers: readonly Answer[]) => void;
}) {
  const id = useId();
  const [values, setValues] = useState<Readonly<Record<number, string>>>({});
  const isAnswerable = questions.every(({ code, field }) => code === "field-missing" && field !== undefined);
  const answers = questions.flatMap(({ step, field }, index) => {
    const value = (values[index] ?? "").trim();
    return field === undefined || value === "" ? [] : [{ step, field, value }];
  });
  const isComplete = answers.length === questions.length;
  const isOneStep = new Set(questions.map(({ step }) => step)).size === 1;
  const [capability, ...others] = new Set(questions.map(({ capability }) => capability));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && !isBusy) onAnswer(answers);
  };
  return (
    <form onSubmit={submit} aria-label="Questions" className="card grid gap-3 p-3.5">
      <div className="flex items-start gap-2 font-semibold">
        <CircleHelp size={16} aria-hidden="true" className="mt-0.5 flex-none text-unknown" />
        <p>
          {questions.length === 1
            ? "One question before there is a draft"
            : "Some questions before there is a draft"}
          {capability !== undefined && others.length === 0 && (
            <>
              {" "}
              of <code>{capability}</code>
            </>
          )}
        </p>
      </div>
      {questions.map(({ step, field, message, options }, index) => {
        const text = (
          <>
            {!isOneStep && <span className="text-muted">Step {step}: </span>}
            <Sentence text={message} />
          </>
        );
        const shared = {
          id: `${id}-${index}`,
          // The person has just asked, and answers next.
          autoFocus: index === 0,
          value: values[index] ?? "",
          onChange: ({ target }: { readonly target: { readonly value: string } }) =>
            setValues((old) => ({ ...old, [index]: target.value })),
          className: "h-9 w-full rounded-control border border-edge bg-surface px-2 max-md:h-11",
        };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one answer never move
          <div key={index}>
            {!isAnswerable || field === undefined ? (
              <p>
                {text}{" "}
                {options && <span className="text-muted">{options.map(formatExample).join(", ")}</span>}
              </p>
            ) : (
              <label htmlFor={`${id}-${index}`} className="grid gap-1">
                <span>{text}</span>
                {options ? (
                  <select {...shared}>
                    <option value="">Choose…</option>
                    {options.map((option) => (
                      <option key={option} value={option}>
                        {formatExample(option)}
                      </option>
                    ))}
                  </select>
                ) : (
                  <input {...shared} autoComplete="off" />
                )}
              </label>
            )}
          </div>
        );
      })}
      {isAnswerable ? (
        <button
          type="submit"
          className="btn btn-primary justify-self-start max-md:w-full"
          aria-disabled={!isComplete || isBusy}
        >
          Answer
        </button>
      ) : (
        <p className="text-sm text-muted">Say it in the words above, and make the draft again.</p>
      )}
    </form>
  );
}
