import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { CirclePause, TriangleAlert } from "lucide-react";
import { type FormEvent, useState } from "react";
import { CallProgress } from "../acts/call-progress.tsx";
import { ChoiceField, TextField } from "../acts/fields.tsx";
import { PreviewBlock } from "../acts/preview-block.tsx";
import { useRequest } from "../acts/use-request.ts";
import { adaptersQuery } from "../api/overview-queries.ts";
import { peopleQuery, previewQuery } from "../api/people-queries.ts";
import { capabilityNamesQuery, meQuery } from "../api/queries.ts";
import type { Freeze, Me } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { Notice, Skeleton } from "../ui/states.tsx";
import { describeImpact, readImpact } from "./freeze-impact.ts";

/** The kind and the subject of a freeze. */
type FreezeScope = Pick<Freeze, "kind" | "subject">;

const kinds = [
  ["", "Choose…"],
  ["tenant", "Everything: all agents, services and people"],
  ["principal", "One agent, service or person"],
  ["adapter", "One adapter"],
  ["capability", "One capability"],
] as const;

/** The scope as it is chosen. Nothing is preselected, because a freeze takes effect at once. */
interface ChosenScope {
  readonly kind: FreezeScope["kind"] | "";
  readonly subject: string;
}

function toScope({ kind, subject }: ChosenScope): FreezeScope | undefined {
  return kind === "" || subject.trim() === "" ? undefined : { kind, subject: subject.trim() };
}

/** The kill switch: the scope, what it stops, a typed name, and the freeze. */
export function FreezeSheet({
  scope,
  onClose,
}: {
  /** The scope, if the person has chosen it elsewhere. */
  readonly scope?: FreezeScope;
  readonly onClose: () => void;
}) {
  const { data: me } = useQuery(meQuery);
  const isAllowed = me?.groups.includes("paraph:admins");
  return (
    <Sheet
      title={
        scope ? (
          <>
            Freeze <Foreign text={scope.subject} />?
          </>
        ) : (
          "Freeze actions"
        )
      }
      isOpen
      onClose={onClose}
    >
      {!me ? (
        <Skeleton rows={2} />
      ) : isAllowed ? (
        <FreezeForm me={me} fixed={scope} onClose={onClose} />
      ) : (
        <>
          <p className="my-4">
            Only members of <code>paraph:admins</code> can freeze. Ask one of them.
          </p>
          <button type="button" className="btn w-full" onClick={onClose}>
            Close
          </button>
        </>
      )}
    </Sheet>
  );
}

function FreezeForm({
  me,
  fixed,
  onClose,
}: {
  readonly me: Me;
  readonly fixed: FreezeScope | undefined;
  readonly onClose: () => void;
}) {
  const [chosen, setChosen] = useState<ChosenScope>({ kind: "", subject: "" });
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const { send, isSending, call, message } = useRequest("admin.freeze");
  const options = useSubjectOptions(chosen);
  const scope = fixed ?? toScope(chosen);
  const input = call ? undefined : scope;
  const preview = useQuery(previewQuery("admin.freeze", input));
  const impact = preview.data && readImpact(preview.data);
  const isConfirmed = typed.trim() === scope?.subject;
  // A freeze is urgent, so a preview that does not arrive does not hold it up. A refused one does.
  const isRefused = preview.data?.fault !== undefined || preview.data?.ruling === "block";
  const canFreeze = input !== undefined && isConfirmed && !isRefused && !isSending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canFreeze)
      send({
        input: { ...input, ...(reason.trim() !== "" && { reason: reason.trim() }) },
        purpose: "",
        isImmediate: true,
      });
  };
  if (call)
    return (
      <div className="mt-4 grid gap-3">
        <CallProgress requested={call} />
        <button type="button" className="btn btn-primary" onClick={onClose}>
          Close
        </button>
      </div>
    );
  return (
    <form className="mt-4 grid gap-3" onSubmit={submit}>
      {!fixed && (
        <ScopeFields
          tenant={me.tenant}
          scope={chosen}
          options={options}
          onChange={(scope) => {
            setChosen(scope);
            setTyped("");
          }}
        />
      )}
      {input !== undefined && (
        <div aria-live="polite" className="grid gap-3">
          {impact && !isRefused ? (
            <Notice tone="failed" icon={CirclePause}>
              <strong className="font-semibold">{describeImpact(impact, input.kind)}</strong> It holds until
              an administrator thaws it. Administration goes on.
            </Notice>
          ) : preview.data && options.length > 0 ? undefined : preview.data ? (
            // The refusal of an unknown name appears once no existing name contains it.
            <PreviewBlock result={preview.data} />
          ) : preview.isError ? (
            <Notice tone="high" icon={TriangleAlert}>
              Paraph could not list the affected calls and agents. You can freeze anyway.
            </Notice>
          ) : (
            <Skeleton rows={1} />
          )}
          {input.kind === "principal" && input.subject === me.id && (
            <Notice tone="high" icon={TriangleAlert}>
              This is you. You could do nothing any more, and only another administrator can thaw you.
            </Notice>
          )}
        </div>
      )}
      {input !== undefined && !isRefused && (
        <>
          <TextField name={`Type ${input.subject} to freeze`} value={typed} onChange={setTyped} isRequired />
          <TextField
            name="Reason"
            hint="Optional. It is recorded with the freeze."
            value={reason}
            onChange={setReason}
          />
        </>
      )}
      {message !== undefined && (
        <p role="alert" className="text-critical">
          {message}
        </p>
      )}
      <button type="submit" className="btn btn-critical" aria-disabled={!canFreeze}>
        {isSending ? "Freezing…" : "Freeze"}
      </button>
      <button type="button" className="btn" onClick={onClose}>
        Go back
      </button>
    </form>
  );
}

function ScopeFields({
  tenant,
  scope: { kind, subject },
  options,
  onChange,
}: {
  readonly tenant: string;
  readonly scope: ChosenScope;
  readonly options: readonly string[];
  readonly onChange: (scope: ChosenScope) => void;
}) {
  const choose = (next: string) => onChange({ kind, subject: next });
  return (
    <>
      <ChoiceField
        name="What to freeze"
        value={kind}
        options={kinds}
        onChange={(next) => onChange({ kind: next, subject: next === "tenant" ? tenant : "" })}
      />
      {kind !== "" && kind !== "tenant" && (
        <TextField name={subjectNames[kind]} value={subject} onChange={choose} isRequired />
      )}
      {options.length > 0 && <SubjectOptions options={options} onChoose={choose} />}
    </>
  );
}

const subjectNames = {
  principal: "Id of the agent, service or person",
  adapter: "Name of the adapter",
  capability: "Name of the capability",
} as const;

/** Returns the existing subjects that contain the typed text, or nothing if it is the whole name of one. */
function useSubjectOptions({ kind, subject }: ChosenScope): readonly string[] {
  const people = useInfiniteQuery({
    ...peopleQuery({ q: subject === "" ? undefined : subject }),
    enabled: kind === "principal",
  });
  const adapters = useQuery({ ...adaptersQuery, enabled: kind === "adapter" });
  const capabilities = useQuery({ ...capabilityNamesQuery, enabled: kind === "capability" });
  const all = {
    "": undefined,
    tenant: undefined,
    // A freeze usually stops an agent, so people come last.
    principal: people.data?.pages[0]?.principals
      .toSorted((a, b) => Number(a.kind === "person") - Number(b.kind === "person"))
      .map(({ id }) => id),
    adapter: adapters.data?.adapters.map(({ name }) => name),
    capability: capabilities.data?.map(({ name }) => name),
  }[kind];
  const typed = subject.trim();
  // Paraph never freezes administration, because a thaw needs it.
  const subjects = all?.filter((name) => kind === "principal" || !/^admin(\.|$)/.test(name)) ?? [];
  return subjects.includes(typed)
    ? []
    : subjects.filter((name) => name.toLowerCase().includes(typed.toLowerCase()));
}

const maxOptions = 6;

function SubjectOptions({
  options,
  onChoose,
}: {
  readonly options: readonly string[];
  readonly onChoose: (subject: string) => void;
}) {
  return (
    <ul aria-label="Suggestions" className="flex flex-wrap gap-1.5">
      {options.slice(0, maxOptions).map((subject) => (
        <li key={subject} className="min-w-0">
          <button
            type="button"
            className="max-w-full truncate rounded-full border border-edge px-3 py-1 text-sm max-md:min-h-11"
            onClick={() => onChoose(subject)}
          >
            <Foreign text={subject} />
          </button>
        </li>
      ))}
      {options.length > maxOptions && (
        <li className="self-center text-sm text-muted">and more: type a part of the name</li>
      )}
    </ul>
  );
}
