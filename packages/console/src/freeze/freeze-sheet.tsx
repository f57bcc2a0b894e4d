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
  ["tenant", "Everything: all agents, services and people"],
  ["principal", "One agent, service or person"],
  ["adapter", "One adapter"],
  ["capability", "One capability"],
] as const;

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
  const [chosen, setChosen] = useState<FreezeScope>({ kind: "tenant", subject: me.tenant });
  const [typed, setTyped] = useState("");
  const { send, isSending, call, message } = useRequest("admin.freeze");
  const scope = fixed ?? chosen;
  const input = scope.subject === "" || call ? undefined : scope;
  const preview = useQuery(previewQuery("admin.freeze", input));
  const impact = preview.data && readImpact(preview.data);
  const isConfirmed = typed.trim() === scope.subject;
  // A freeze is urgent, so a preview that does not arrive does not hold it up. A refused one does.
  const isRefused = preview.data?.fault !== undefined || preview.data?.ruling === "block";
  const canFreeze = input !== undefined && isConfirmed && !isRefused && !isSending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canFreeze) send({ input: scope, purpose: "", isImmediate: true });
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
              <strong className="font-semibold">{describeImpact(impact, scope.kind)}</strong> It holds until
              an administrator thaws it. Administration goes on.
            </Notice>
          ) : preview.data ? (
            <PreviewBlock result={preview.data} />
          ) : preview.isError ? (
            <Notice tone="high" icon={TriangleAlert}>
              Paraph could not list the affected calls and agents. You can freeze anyway.
            </Notice>
          ) : (
            <Skeleton rows={1} />
          )}
          {scope.kind === "principal" && scope.subject === me.id && (
            <Notice tone="high" icon={TriangleAlert}>
              This is you. You could do nothing any more, and only another administrator can thaw you.
            </Notice>
          )}
        </div>
      )}
      {input !== undefined && !isRefused && (
        <TextField name={`Type ${scope.subject} to freeze`} value={typed} onChange={setTyped} isRequired />
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
  onChange,
}: {
  readonly tenant: string;
  readonly scope: FreezeScope;
  readonly onChange: (scope: FreezeScope) => void;
}) {
  const people = useInfiniteQuery({
    ...peopleQuery({ q: subject === "" ? undefined : subject }),
    enabled: kind === "principal",
  });
  const adapters = useQuery({ ...adaptersQuery, enabled: kind === "adapter" });
  const capabilities = useQuery({ ...capabilityNamesQuery, enabled: kind === "capability" });
  const subjects = {
    tenant: undefined,
    principal: people.data?.pages[0]?.principals.map(({ id }) => id),
    adapter: adapters.data?.adapters.map(({ name }) => name),
    capability: capabilities.data?.map(({ name }) => name),
  }[kind];
  return (
    <>
      <ChoiceField
        name="What to freeze"
        value={kind}
        options={kinds}
        onChange={(next) => onChange({ kind: next, subject: next === "tenant" ? tenant : "" })}
      />
      {kind !== "tenant" && (
        <TextField
          name={kind === "principal" ? "Id" : "Name"}
          value={subject}
          onChange={(next) => onChange({ kind, subject: next })}
          suggestions={subjects ?? []}
          isRequired
        />
      )}
    </>
  );
}
