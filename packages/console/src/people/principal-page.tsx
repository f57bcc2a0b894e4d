import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { CirclePause, Info } from "lucide-react";
import { useState } from "react";
import { freezesQuery } from "../api/overview-queries.ts";
import { principalQuery } from "../api/people-queries.ts";
import { meQuery } from "../api/queries.ts";
import type { PrincipalDetails } from "../api/types.ts";
import { FreezeSheet } from "../freeze/freeze-sheet.tsx";
import { ThawSheet } from "../freeze/thaw-sheet.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { formatExactTime, formatTime, useNow } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { Breadcrumb } from "../ui/breadcrumb.tsx";
import { Avatar } from "../ui/principal.tsx";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { AccessCard } from "./access-card.tsx";
import { ActivityCard } from "./activity-card.tsx";
import { GrantsCard } from "./grants-card.tsx";
import { GroupsCard } from "./groups-card.tsx";
import { KeysCard } from "./keys-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { type PrincipalAct, PrincipalActSheet } from "./principal-act-sheet.tsx";
import { formatKind, StateMark } from "./principal-state.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** One principal: what it does, what it may use, and the acts that change this. */
export function PrincipalPage() {
  const { principal: id } = useParams({ from: "/people/$principal" });
  const query = useQuery(principalQuery(id));
  const { data: principal } = query;
  const [act, setAct] = useState<PrincipalAct>();
  useTitle(id);
  if (query.isPending) return <Skeleton />;
  if (!principal)
    return <LoadError error={query.error ?? new Error()} onRetry={() => void query.refetch()} />;
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto bg-canvas px-4 pb-8 md:px-6">
      <Breadcrumb
        links={[
          <Link key="list" to="/people" search={{}}>
            Agents and people
          </Link>,
        ]}
        name={<Foreign text={id} />}
      />
      <Heading principal={principal} onAct={setAct} />
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 content-start gap-5">
          <ActivityCard id={id} />
          <KeysCard principal={principal} onAct={setAct} />
        </div>
        <div className="grid min-w-0 content-start gap-5">
          <AccessCard principal={principal} />
          <LimitsCard limits={principal.limits} />
          <GroupsCard principal={principal} onAct={setAct} />
          {principal.kind === "person" && <SessionsCard principal={principal} onAct={setAct} />}
          <GrantsCard principal={principal} onAct={setAct} />
        </div>
      </div>
      {act && <OpenedSheet act={act} principal={principal} onClose={() => setAct(undefined)} />}
    </article>
  );
}

function Heading({
  principal: { id, kind, owner, state, createdAt, disabledAt },
  onAct,
}: {
  readonly principal: PrincipalDetails;
  readonly onAct: (act: PrincipalAct) => void;
}) {
  const now = useNow();
  const frozen = useQuery(freezesQuery).data?.freezes.find(
    ({ kind, subject, disabled }) => kind === "principal" && subject === id && !disabled,
  );
  return (
    <header>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <StateMark state={state} />
          <h1
            id="fact"
            className="mt-1 flex items-center gap-2.5 text-[28px] leading-8.5 font-semibold tracking-[-0.015em]"
          >
            <span className="text-base leading-5">
              <Avatar id={id} kind={kind} />
            </span>
            <span className="min-w-0">
              <Foreign text={id} />
            </span>
          </h1>
          <p className="mt-1 text-muted">
            {formatKind(kind)}
            {owner !== undefined && (
              <>
                , owner{" "}
                <Link to="/people/$principal" params={{ principal: owner }} className="link">
                  <Foreign text={owner} />
                </Link>
              </>
            )}
            , since{" "}
            <time dateTime={createdAt} title={formatExactTime(createdAt)}>
              {formatTime(createdAt, now)}
            </time>
            {kind === "person" && (
              <>
                ,{" "}
                <Link to="/people" search={{ owner: id }} className="link">
                  their agents
                </Link>
              </>
            )}
          </p>
        </div>
        <div className="flex flex-wrap gap-2 max-md:w-full max-md:*:flex-1">
          {(state === "active" || state === "invited") && (
            <button
              type="button"
              className="btn btn-deny"
              onClick={() => onAct({ kind: "freeze", subject: id })}
            >
              <CirclePause size={16} aria-hidden="true" />
              Freeze…
            </button>
          )}
          {frozen && (
            <button
              type="button"
              className="btn"
              onClick={() => onAct({ kind: "thaw", freeze: frozen.freeze })}
            >
              Thaw…
            </button>
          )}
          {state === "disabled" ? (
            <button type="button" className="btn" onClick={() => onAct({ kind: "enable" })}>
              Enable…
            </button>
          ) : (
            <button type="button" className="btn" onClick={() => onAct({ kind: "disable" })}>
              Disable…
            </button>
          )}
        </div>
      </div>
      {frozen && (
        <div className="mt-3">
          <Notice tone="failed" icon={CirclePause}>
            Frozen by <Foreign text={frozen.by} /> since {formatTime(frozen.at, now)}. Its calls wait, and
            Paraph accepts no new ones.{" "}
            <Link to="/calls" search={{ heldBy: frozen.freeze }} className="link">
              Show the calls that it holds
            </Link>
          </Notice>
        </div>
      )}
      {state === "disabled" && disabledAt !== undefined && (
        <div className="mt-3">
          <Notice tone="plain" icon={Info}>
            Disabled since {formatTime(disabledAt, now)}. It can do nothing, and its votes do not count.
          </Notice>
        </div>
      )}
    </header>
  );
}

function OpenedSheet({
  act,
  principal,
  onClose,
}: {
  readonly act: PrincipalAct;
  readonly principal: PrincipalDetails;
  readonly onClose: () => void;
}) {
  const { data: me } = useQuery(meQuery);
  if (!me) return null;
  switch (act.kind) {
    case "freeze":
      return <FreezeSheet scope={{ kind: "principal", subject: act.subject }} onClose={onClose} />;
    case "thaw":
      return <ThawSheet freeze={act.freeze} onClose={onClose} />;
    default:
      return <PrincipalActSheet act={act} principal={principal} tenant={me.tenant} onClose={onClose} />;
  }
}
