import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { delegationsQuery, grantsQuery } from "../api/people-queries.ts";
import type { PrincipalDetails } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime, useNow } from "../lib/time.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import type { PrincipalAct } from "./principal-act-sheet.tsx";

/** The grants that cover the calls of a principal, and the delegations of a person. */
export function GrantsCard({
  principal: { id, kind },
  onAct,
}: {
  readonly principal: PrincipalDetails;
  readonly onAct: (act: PrincipalAct) => void;
}) {
  const now = useNow();
  const grants = useQuery(grantsQuery);
  const delegations = useQuery({ ...delegationsQuery, enabled: kind === "person" });
  const covering = grants.data?.grants.filter(({ principal }) => principal === undefined || principal === id);
  const own = delegations.data?.delegations.filter(
    ({ person, delegate }) => person === id || delegate === id,
  );
  return (
    <>
      <Card title="Grants">
        <Loaded query={grants}>
          {covering?.length ? (
            <ul className="divide-y divide-line">
              {covering.map(({ grant, capability, principal, countLeft, expiresAt, breakGlass }) => (
                <li key={grant} className="flex items-start gap-3 px-3.5 py-2.5">
                  <div className="min-w-0 flex-1">
                    <code className="font-semibold [overflow-wrap:anywhere]">
                      <Foreign text={capability} />
                    </code>
                    <p className="text-sm text-muted">
                      {breakGlass ? "Break-glass, once" : `${countLeft} calls left`}, until{" "}
                      {formatTime(expiresAt, now)}
                      {principal === undefined && ", for everyone"}
                    </p>
                  </div>
                  <button
                    type="button"
                    className="btn min-h-8 px-2.5 text-sm max-md:min-h-11"
                    aria-label={`Revoke the grant of ${capability}…`}
                    onClick={() => onAct({ kind: "revoke-grant", grant })}
                  >
                    Revoke…
                  </button>
                </li>
              ))}
            </ul>
          ) : (
            <p className="p-3.5 text-muted">No call is approved in advance.</p>
          )}
        </Loaded>
      </Card>
      {kind === "person" && (
        <Card title="Delegations">
          <Loaded query={delegations}>
            {own?.length ? (
              <ul className="divide-y divide-line">
                {own.map(({ delegation, person, delegate, from, until }) => (
                  <li key={delegation} className="px-3.5 py-2.5">
                    <p>
                      <Foreign text={delegate} /> approves for <Foreign text={person} />
                    </p>
                    <p className="text-sm text-muted">
                      {Date.parse(from) > now && `From ${formatTime(from, now)}, `}until{" "}
                      {formatTime(until, now)}
                    </p>
                  </li>
                ))}
              </ul>
            ) : (
              <p className="p-3.5 text-muted">No delegate.</p>
            )}
          </Loaded>
        </Card>
      )}
    </>
  );
}

function Loaded({
  query: { data, isPending, error, refetch },
  children,
}: {
  readonly query: {
    readonly data: unknown;
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly children: ReactNode;
}) {
  if (isPending) return <Skeleton rows={1} />;
  if (data === undefined) return <LoadError error={error ?? new Error()} onRetry={() => void refetch()} />;
  return children;
}
