import type { PrincipalDetails } from "../api/types.ts";
import { formatAgo, formatExactTime, formatTime, useNow } from "../lib/time.ts";
import { Card } from "../ui/card.tsx";
import type { PrincipalAct } from "./principal-act-sheet.tsx";

/** The browser sessions of a person. */
export function SessionsCard({
  principal: { sessions },
  onAct,
}: {
  readonly principal: PrincipalDetails;
  readonly onAct: (act: PrincipalAct) => void;
}) {
  const now = useNow();
  return (
    <Card
      title="Browser sessions"
      more={
        sessions.length > 0 && (
          <button
            type="button"
            className="link min-h-8 max-md:min-h-11"
            onClick={() => onAct({ kind: "end-sessions" })}
          >
            End sessions…
          </button>
        )
      }
    >
      {sessions.length === 0 ? (
        <p className="p-3.5 text-muted">Not logged in.</p>
      ) : (
        <ul className="divide-y divide-line">
          {sessions.map(({ seenAt, endsAt }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a session has no public id
            <li key={index} className="px-3.5 py-2">
              <p>
                Used{" "}
                <time dateTime={seenAt} title={formatExactTime(seenAt)}>
                  {formatAgo(seenAt, now)}
                </time>
              </p>
              <p className="text-sm text-muted">Ends without use {formatTime(endsAt, now)}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
