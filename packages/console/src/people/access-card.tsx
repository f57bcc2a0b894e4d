import { Link } from "@tanstack/react-router";
import type { PrincipalDetails } from "../api/types.ts";
import { Card } from "../ui/card.tsx";
import { roleNames } from "./principal-state.tsx";

/** Shows the rights that a principal has by its kind and its roles. Policy rules on each call beyond them. */
export function AccessCard({ principal: { id, kind, groups } }: { readonly principal: PrincipalDetails }) {
  const rights =
    kind === "person"
      ? [
          "Approves requests of other people and their agents. Policy can demand members of a group.",
          ...Object.entries(roleNames).flatMap(([group, { right }]) =>
            groups.includes(group) ? [right] : [],
          ),
        ]
      : ["Does not approve, and does not administer Paraph."];
  return (
    <Card
      title="Access"
      more={
        <Link to="/policies/what-if" search={{ principal: id }} className="link">
          What if…
        </Link>
      }
    >
      <ul className="grid gap-1.5 p-3.5">
        <li>Requests calls. Policy rules on each of them.</li>
        {rights.map((right) => (
          <li key={right}>{right}</li>
        ))}
      </ul>
    </Card>
  );
}
