import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Info } from "lucide-react";
import { previewQuery } from "../api/people-queries.ts";
import { callQuery } from "../api/queries.ts";
import type { Call } from "../api/types.ts";
import { Fact } from "../approval/fact.tsx";
import { isObject } from "../lib/json.ts";
import { Draft, type DraftRequest, identify } from "../request/draft.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Breadcrumb } from "../ui/breadcrumb.tsx";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { hiddenUndoText, UndoLink } from "./undo-link.tsx";

type UndoRequest = Extract<DraftRequest, { kind: "undo" }>;

/** The undo of a call: what it would change now, how policy rules on it, and the request. */
export function UndoPage() {
  const { call: id } = useParams({ from: "/calls/$call/undo" });
  const query = useQuery(callQuery(id));
  const { data: call } = query;
  useTitle(call ? `Undo: ${call.headline}` : "Undo");
  if (query.isPending) return <Skeleton />;
  if (!call) return <LoadError error={query.error ?? new Error()} onRetry={() => void query.refetch()} />;
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto px-4 pb-8 md:px-6">
      <Breadcrumb
        links={[
          <Link key="call" to="/calls/$call" params={{ call: id }}>
            <code>{id}</code>
          </Link>,
        ]}
        name={"Undo"}
      />
      <div className="max-w-240">
        <Fact text={`Undo: ${call.headline}`} />
        <p className="mb-4 text-muted">
          The undo is a new call of yours. Policy rules on it, and it gets its own receipt.
        </p>
        <Undo call={call} />
      </div>
    </article>
  );
}

function Undo({ call }: { readonly call: Call }) {
  const request = readUndo(call);
  if (request) return <UndoDraft request={request} />;
  return (
    <Notice tone="plain" icon={Info}>
      {call.undoneBy !== undefined ? (
        <UndoLink undo={call.undoneBy} />
      ) : call.undo === undefined ? (
        "This call offers no undo."
      ) : (
        hiddenUndoText
      )}
    </Notice>
  );
}

/** Nothing has to be filled in, so the preview loads by itself. */
function UndoDraft({ request }: { readonly request: UndoRequest }) {
  const { data, error, refetch } = useQuery(previewQuery(request.capability, request.input));
  if (data) return <Draft request={request} given={{ of: identify(request), result: data }} />;
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <Skeleton rows={3} />;
}

/** Returns the undo that the reader can request, or undefined if there is none. */
function readUndo({ call, undo, links }: Call): UndoRequest | undefined {
  if (links.undo === undefined || !isObject(undo)) return undefined;
  const { capability, input } = undo;
  return isObject(input) ? { kind: "undo", call, capability: String(capability), input } : undefined;
}
