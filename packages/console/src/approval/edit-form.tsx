import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { CircleHelp, Send } from "lucide-react";
import { useState } from "react";
import { NoAnswerError, ProblemError, post } from "../api/client.ts";
import type { Call, EditPreview, Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { isObject } from "../lib/json.ts";
import { RulingCard } from "../policies/ruling-card.tsx";
import { CheckedFields } from "../request/checked-fields.tsx";
import { PreviewFirst } from "../request/preview-first.tsx";
import { PreviewedChanges } from "../request/previewed-changes.tsx";
import { ReasonField } from "../request/reason-field.tsx";
import type { JsonSchema } from "../request/schema-fields.ts";
import { isLiteral, isSame, readLiteral } from "../request/step-input.ts";
import { useInputForm } from "../request/use-input-form.ts";
import { Notice } from "../ui/states.tsx";

/** The edit as the API takes it. */
interface Edit {
  readonly digest: string;
  readonly input: unknown;
  readonly step?: string;
}

/** The fields of a waiting call. The edit can be sent only with a preview of exactly its content. */
export function EditForm({
  round,
  step,
  schema,
}: {
  readonly round: Round;
  readonly step: string | undefined;
  readonly schema: JsonSchema;
}) {
  const { approval, digest } = round;
  const given = step === undefined ? round.input : findStepInput(round.input, step);
  const form = useInputForm(schema, readLiteral(given));
  const { input } = form;
  const isChanged = input === undefined || !isSame(input, readLiteral(given));
  const written = isLiteral(given) ? { $literal: input } : input;
  const edit: Edit | undefined =
    input === undefined ? undefined : { digest, input: written, ...(step !== undefined && { step }) };
  return (
    <CheckedFields form={form}>
      {(focusFault) => (
        <>
          {round.masked.length > 0 && (
            <p className="text-sm text-muted">A field that shows ••• keeps its hidden value.</p>
          )}
          {isChanged ? (
            <PreviewFirst
              draft={edit && { of: JSON.stringify(edit), value: edit }}
              onFaults={focusFault}
              load={(wanted) => post<EditPreview>(`/v1/approvals/${approval}/edit/preview`, wanted)}
              show={(wanted, result) => (
                <>
                  <NewFact before={round.headline} after={result.headline} />
                  <PreviewedChanges
                    input={toWholeInput(round.input, wanted)}
                    result={result}
                    masked={result.masked}
                  />
                  <RulingCard result={result} />
                </>
              )}
              act={(wanted) => <SendBar approval={approval} edit={wanted} />}
            />
          ) : (
            <p className="text-muted">Change a value. You then see what the edited request would do.</p>
          )}
        </>
      )}
    </CheckedFields>
  );
}

function NewFact({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return null;
  return (
    <dl className="card grid gap-x-4 gap-y-1 p-4 md:grid-cols-[auto_1fr]">
      <dt className="text-muted">Before</dt>
      <dd>
        <Foreign text={before} />
      </dd>
      <dt className="text-muted">After</dt>
      <dd className="font-semibold">
        <Foreign text={after} />
      </dd>
    </dl>
  );
}

function SendBar({ approval, edit }: { readonly approval: string; readonly edit: Edit }) {
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const navigate = useNavigate();
  const send = useMutation({
    mutationFn: () =>
      post<Call>(`/v1/approvals/${approval}/edit`, {
        ...edit,
        ...(reason.trim() !== "" && { reason: reason.trim() }),
      }),
    onSettled: () => {
      for (const queryKey of [["approval", approval], ["inbox"]]) void client.invalidateQueries({ queryKey });
    },
    onSuccess: async ({ call, approval: next }) => {
      if (next) await navigate({ to: "/approvals/$approval", params: { approval: next.id } });
      else await navigate({ to: "/calls/$call", params: { call } });
    },
  });
  if (send.error instanceof NoAnswerError)
    return (
      <Notice tone="unknown" icon={CircleHelp} isAlert>
        <strong>Not known whether your edit arrived.</strong> The server did not answer in time.{" "}
        <Link to="/approvals/$approval" params={{ approval }} className="link">
          Look at the request
        </Link>
      </Notice>
    );
  return (
    <form
      aria-label="Send the edit"
      className="card grid gap-3 p-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate();
      }}
    >
      <ReasonField
        label="Why do you change it? The requester reads this."
        value={reason}
        onChange={setReason}
      />
      <p className="text-sm text-muted">You can't approve your own edit while another person could.</p>
      {send.error instanceof ProblemError && (
        <p role="alert" className="text-critical">
          {send.error.problem.detail}
        </p>
      )}
      <button
        type="submit"
        className="btn btn-primary justify-self-start max-md:w-full"
        aria-disabled={send.isPending}
      >
        <Send size={16} aria-hidden="true" />
        {send.isPending ? "Sending…" : "Send edited request"}
      </button>
    </form>
  );
}

interface Step {
  readonly id?: unknown;
  readonly input?: unknown;
}

function readPlanSteps(plan: unknown): readonly Step[] {
  return isObject(plan) && Array.isArray(plan.steps) ? (plan.steps as readonly Step[]) : [];
}

function findStepInput(plan: unknown, step: string): unknown {
  return readPlanSteps(plan).find(({ id }) => id === step)?.input;
}

/** Returns the input of the whole call after an edit. */
function toWholeInput(before: unknown, { step, input }: Edit): Readonly<Record<string, unknown>> {
  const whole =
    step === undefined
      ? input
      : {
          ...(isObject(before) && before),
          steps: readPlanSteps(before).map((one) => (one.id === step ? { ...one, input } : one)),
        };
  return isObject(whole) ? whole : {};
}
