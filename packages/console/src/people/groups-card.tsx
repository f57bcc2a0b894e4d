import type { PrincipalDetails } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { Card } from "../ui/card.tsx";
import type { PrincipalAct } from "./principal-act-sheet.tsx";

/** The groups of a principal. */
export function GroupsCard({
  principal: { groups },
  onAct,
}: {
  readonly principal: PrincipalDetails;
  readonly onAct: (act: PrincipalAct) => void;
}) {
  return (
    <Card
      title="Groups"
      more={
        <button
          type="button"
          className="link min-h-8 max-md:min-h-11"
          onClick={() => onAct({ kind: "join-group" })}
        >
          Add to group…
        </button>
      }
    >
      {groups.length === 0 ? (
        <p className="p-3.5 text-muted">In no group.</p>
      ) : (
        <ul className="divide-y divide-line">
          {groups.map((group) => (
            <li key={group} className="flex items-center gap-3 px-3.5 py-2">
              <code className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <Foreign text={group} />
              </code>
              <button
                type="button"
                className="btn min-h-8 px-2.5 text-sm max-md:min-h-11"
                aria-label={`Remove from ${group}…`}
                onClick={() => onAct({ kind: "leave-group", group })}
              >
                Remove…
              </button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
