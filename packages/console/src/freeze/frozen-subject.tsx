import type { Freeze } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";

/** The subject of a freeze, such as `The adapter github`. */
export function FrozenSubject({ freeze: { kind, subject } }: { readonly freeze: Freeze }) {
  if (kind === "tenant") return "Everything";
  return (
    <>
      {kind !== "principal" && `The ${kind} `}
      <Foreign text={subject} />
    </>
  );
}
