import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Trash2 } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { contractQuery } from "../api/queries.ts";
import type { Contract, PlannedIntent } from "../api/types.ts";
import { formatJson } from "../lib/foreign.tsx";
import { EffectBadge } from "../ui/effect.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { Draft, type DraftRequest, identify } from "./draft.tsx";
import { InputFields } from "./input-fields.tsx";
import { isLiteral, isSame, readLiteral } from "./step-input.ts";
import { useInputForm } from "./use-input-form.ts";

interface Step {
  readonly id: string;
  readonly capability: string;
  /** The input as the plan states it. Undefined while a field has a fault. */
  readonly input: unknown;
}

/** A plan made from words: its steps can be changed or removed, and previewed again, before someone requests it. */
export function PlanDraft({
  intent,
  onRequested,
}: {
  readonly intent: PlannedIntent;
  readonly onRequested: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // After an answer, the focus has no place any more. It stays in the words if the draft comes from them.
  useEffect(() => {
    if (!(document.activeElement instanceof HTMLTextAreaElement)) heading.current?.focus();
  }, []);
  const [steps, setSteps] = useState(() => readDraftSteps(intent.plan));
  const given: DraftRequest = { kind: "plan", plan: intent.plan, intent: intent.intent };
  const plan = { ...intent.plan, steps };
  const isComplete = steps.length > 0 && steps.every(({ input }) => input !== undefined);
  const changed: DraftRequest = { kind: "plan", plan };
  const isChanged = identify(changed) !== identify(given);
  const change = (id: string, input: unknown) =>
    setSteps((old) => old.map((step) => (step.id === id ? { ...step, input } : step)));
  return (
    <section aria-labelledby="draft" className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div>
        <h2 id="draft" ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
          Draft of {steps.length === 1 ? "1 step" : `${steps.length} steps`}
        </h2>
        {isChanged && (
          <p className="mt-1 text-sm text-muted">
            You changed this plan, so Paraph does not record your words with it.
          </p>
        )}
      </div>
      <ol className="card divide-y divide-line overflow-hidden">
        {steps.map((step, index) => (
          <li key={step.id}>
            <StepDraft
              step={step}
              number={index + 1}
              isOpenAtFirst={steps.length === 1}
              onChange={(input) => change(step.id, input)}
              onRemove={
                steps.length === 1
                  ? undefined
                  : () => setSteps((old) => old.filter(({ id }) => id !== step.id))
              }
            />
          </li>
        ))}
      </ol>
      <Draft
        request={isComplete ? (isChanged ? changed : given) : undefined}
        given={{ of: identify(given), result: intent.preview }}
        onRequested={onRequested}
      />
    </section>
  );
}

function readDraftSteps(plan: PlannedIntent["plan"]): readonly Step[] {
  return (Array.isArray(plan.steps) ? plan.steps : []) as readonly Step[];
}

function StepDraft({
  step: { capability, input },
  number,
  isOpenAtFirst,
  onChange,
  onRemove,
}: {
  readonly step: Step;
  readonly number: number;
  readonly isOpenAtFirst: boolean;
  readonly onChange: (input: unknown) => void;
  readonly onRemove: (() => void) | undefined;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  // A closed step keeps its fields, so that closing does not lose a value with a fault.
  const [hasFields, setHasFields] = useState(isOpenAtFirst);
  const { data, isPending, error, refetch } = useQuery(contractQuery(capability));
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        if (open) setHasFields(true);
      }}
      className="group"
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2.5 px-3.5 py-1.5 -outline-offset-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <span className="text-muted">{number}</span>
        <span className="min-w-0 flex-1">
          <code className="font-semibold [overflow-wrap:anywhere]">{capability}</code>
          <code className="block truncate text-muted group-open:hidden">
            {formatJson(readLiteral(input)).replaceAll(/\s+/g, " ")}
          </code>
        </span>
        {data && <EffectBadge effect={data.effect} />}
        <ChevronDown
          size={15}
          aria-hidden="true"
          className="flex-none -rotate-90 text-muted group-open:rotate-0"
        />
        <span className="sr-only">Change this step</span>
      </summary>
      {hasFields && (
        <div className="grid gap-3 border-t border-line p-3.5">
          {isPending ? (
            <Skeleton rows={2} />
          ) : data ? (
            <StepFields contract={data} input={input} onChange={onChange} />
          ) : (
            <LoadError error={error} onRetry={() => void refetch()} />
          )}
          {onRemove && (
            <button type="button" className="btn justify-self-start" onClick={onRemove}>
              <Trash2 size={16} aria-hidden="true" />
              Remove step {number}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function StepFields({
  contract,
  input,
  onChange,
}: {
  readonly contract: Contract;
  readonly input: unknown;
  readonly onChange: (input: unknown) => void;
}) {
  const [given] = useState(input);
  const form = useInputForm(contract.input, readLiteral(given));
  const written = form.input && JSON.stringify(form.input);
  const report = useEffectEvent((text: string | undefined) => {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    // The form may state the given input with its members in another order.
    if (value !== undefined && isSame(value, readLiteral(given))) onChange(given);
    else onChange(value === undefined || !isLiteral(given) ? value : { $literal: value });
  });
  useEffect(() => report(written), [written]);
  return <InputFields form={form} showFaults />;
}
