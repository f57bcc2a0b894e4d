import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { callQuery } from "../api/queries.ts";
import { Foreign } from "../lib/foreign.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";

/** Explains to a reader why they can't undo a call that offers an undo. */
export const hiddenUndoText =
  "The undo contains values that are hidden from you. Ask the requester to undo the call.";

/** The call that undoes another one: who requested it, and where it stands. */
export function UndoLink({ undo }: { readonly undo: string }) {
  const { data } = useQuery(callQuery(undo));
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {data && (
        <>
          <span>
            Undo requested by <Foreign text={data.principal.id} />:
          </span>
          <OutcomeMark state={data.state} outcome={data.outcome} finding={data.resolution?.finding} />
        </>
      )}
      <Link to="/calls/$call" params={{ call: undo }} className="link max-md:min-h-11 max-md:py-2.5">
        Open the undo
      </Link>
    </span>
  );
}
