import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { apiKeysQuery, openKeysQuery } from "../api/people-queries.ts";
import type { ApiKey, PrincipalDetails } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatAgo, formatTime, useNow } from "../lib/time.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import type { PrincipalAct } from "./principal-act-sheet.tsx";

/** The API keys of a principal, those in force first. */
export function KeysCard({
  principal: { id, state },
  onAct,
}: {
  readonly principal: PrincipalDetails;
  readonly onAct: (act: PrincipalAct) => void;
}) {
  const { data, isPending, error, refetch } = useQuery(apiKeysQuery(id));
  const now = useNow();
  const keys = data?.keys.toSorted((a, b) => Number(isOver(a, now)) - Number(isOver(b, now)));
  return (
    <Card
      title="API keys"
      more={
        state !== "disabled" && (
          <button
            type="button"
            className="link min-h-8 max-md:min-h-11"
            onClick={() => onAct({ kind: "issue-key" })}
          >
            Issue key…
          </button>
        )
      }
    >
      <RequestedKeys id={id} />
      {isPending ? (
        <Skeleton rows={2} />
      ) : !keys ? (
        <LoadError error={error ?? new Error()} onRetry={() => void refetch()} />
      ) : keys.length === 0 ? (
        <p className="p-3.5 text-muted">No keys.</p>
      ) : (
        <ul className="divide-y divide-line">
          {keys.map((key) => (
            <KeyRow key={key.key} apiKey={key} now={now} onAct={onAct} />
          ))}
        </ul>
      )}
      {data?.next !== undefined && (
        <p className="border-t border-line px-3.5 py-2 text-sm text-muted">Only the first 100 are shown.</p>
      )}
    </Card>
  );
}

/** The keys of the principal that are requested and not in force yet. */
function RequestedKeys({ id }: { readonly id: string }) {
  const { data } = useQuery(openKeysQuery);
  return data
    ?.filter(({ subject }) => subject === id)
    .map(({ call, requester }) => (
      <p key={call} className="border-b border-line px-3.5 py-2.5">
        <Link to="/calls/$call" params={{ call }} className="link">
          A key is requested
        </Link>{" "}
        <span className="text-muted">
          by <Foreign text={requester} />.
        </span>
      </p>
    ));
}

function KeyRow({
  apiKey,
  now,
  onAct,
}: {
  readonly apiKey: ApiKey;
  readonly now: number;
  readonly onAct: (act: PrincipalAct) => void;
}) {
  const { key, label, scopes, lastUsed, createdBy, createdAt, expiresAt, revokedAt } = apiKey;
  const ended = isOver(apiKey, now);
  return (
    <li className={`flex items-start gap-3 px-3.5 py-2.5 ${ended ? "text-muted" : ""}`}>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <code className="font-semibold">{key}</code>
          {label !== undefined && <Foreign text={label} />}
        </p>
        <p className="text-sm">
          {scopes ? (
            scopes.map((scope) => (
              <code key={scope} className="mr-2 [overflow-wrap:anywhere]">
                <Foreign text={scope} />
              </code>
            ))
          ) : (
            <span className="font-medium">Everything that its principal may do</span>
          )}
        </p>
        <p className="text-sm text-muted">
          {lastUsed === undefined ? (
            "Never used"
          ) : (
            <>
              Used{" "}
              <time dateTime={lastUsed} title={lastUsed}>
                {formatAgo(lastUsed, now)}
              </time>
            </>
          )}
          , created {formatTime(createdAt, now)}
          {createdBy !== undefined && (
            <>
              {" "}
              by <Foreign text={createdBy} />
            </>
          )}
          {revokedAt !== undefined
            ? `, revoked ${formatTime(revokedAt, now)}`
            : expiresAt === undefined
              ? ", does not expire"
              : `, ${ended ? "expired" : "expires"} ${formatTime(expiresAt, now)}`}
        </p>
      </div>
      {!ended && (
        <button
          type="button"
          className="btn min-h-8 px-2.5 text-sm max-md:min-h-11"
          aria-label={`Revoke key ${key}…`}
          onClick={() => onAct({ kind: "revoke-key", key })}
        >
          Revoke…
        </button>
      )}
    </li>
  );
}

function isOver({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= now);
}
